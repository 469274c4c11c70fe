"""A request for a turn: what it asks, and how it wants to be served."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, cast

import msgspec

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.conversation import ChatMessage, TurnInput
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_content import parse_content
from placet.http.chat_messages import parse_messages, require_visible
from placet.http.chat_settings import parse_settings
from placet.http.dialect import Dialect
from placet.http.fields import check_field, choice_of

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

_OWN_FIELDS = frozenset({"approvals", "on_busy"})
"""Of the object `placet`. Another name in it is a mistake, for nobody else writes it."""


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a turn.

    Attributes:
        stream: whether it is answered as a stream.
        include_usage: whether the stream ends with a usage chunk.
        model: what the client called the model, to be echoed; `None` if it did not say.
        input: what the agent is asked. It alone is what the request means.
        approvals: the dialect that the body asks for.
        on_busy: what to do if the session is at work.
    """

    stream: bool
    include_usage: bool
    model: str | None
    input: TurnInput
    approvals: Dialect | None
    on_busy: OnBusy

    def with_stored_history(self) -> ChatRequest:
        """The same request without a history of its own, for a session that a client named: there the stored one counts."""
        return msgspec.structs.replace(self, input=msgspec.structs.replace(self.input, history=None))


def parse_chat(body: dict[str, Any], headers: Headers) -> ChatRequest:
    """The request in the body of a chat completion.

    Args:
        body: the JSON object.
        headers: of the request; `X-Placet-On-Busy` is read, and yields to the body's `placet.on_busy`.

    Raises:
        InvalidInput: with the field in `param`; see `parse_messages` and `parse_settings` for the codes.
    """
    conversation = parse_messages(body.get("messages"))
    history, system = conversation.history, conversation.system
    return request_of(body, headers, content=conversation.content, history=history, system=system)


def parse_session_chat(body: dict[str, Any], headers: Headers) -> ChatRequest:
    """The request in the body of a session's chat: `message` or `input`, and `system_message` or `instructions`.

    It has no history, since the session's own counts. Settings and `placet` are as in a chat completion.

    Args:
        body: the JSON object.
        headers: as in `parse_chat`.

    Raises:
        InvalidInput: `missing_message`, `invalid_system_message`, or as in `parse_chat`.
    """
    name = _either(body, "message", "input")
    if name is None:
        raise InvalidInput("There must be a `message`.", code="missing_message", param="message")
    content = parse_content(body[name], name)
    require_visible(content, name)
    return request_of(
        body, headers, content=ChatMessage(role="user", content=content), history=None, system=_system(body)
    )


def fingerprint(kind: str, session_id: str | None, chat: ChatRequest) -> str:
    """What two requests share if and only if they mean the same: SHA-256 in hex of the canonical JSON of the meaning.

    How a request wants to be served (`stream`, dialect, what to do if the session is busy), what is not honoured, and how its
    JSON was written are no part of it. Take it from the request as it will be admitted.

    Args:
        kind: the route family, such as `chat`.
        session_id: the session that the client named, if it named one.
        chat: the request.
    """
    meaning = {"v": 1, "kind": kind, "session_id": session_id, "input": msgspec.to_builtins(chat.input)}
    return hashlib.sha256(msgspec.json.encode(meaning, order="deterministic")).hexdigest()


def request_of(
    body: dict[str, Any],
    headers: Headers,
    *,
    content: ChatMessage,
    history: tuple[ChatMessage, ...] | None,
    system: str,
) -> ChatRequest:
    """A request whose conversation was read, with what else its body and headers say.

    Args:
        body: the JSON object.
        headers: as in `parse_chat`.
        content: the message to answer.
        history: what was said before it; `None` if the session's own history counts.
        system: system-level text.

    Raises:
        InvalidInput: a setting is wrong, or cannot be honoured.
    """
    settings = parse_settings(body)
    own = _own_fields(body)
    on_busy = choice_of(OnBusy, headers.get("X-Placet-On-Busy"), "X-Placet-On-Busy")
    return ChatRequest(
        stream=check_field(body, "stream", bool) or False,
        include_usage=_include_usage(body),
        model=settings.model,
        input=TurnInput(content=content, history=history, system=system, settings=settings),
        approvals=choice_of(Dialect, own.get("approvals"), "placet.approvals"),
        on_busy=choice_of(OnBusy, own.get("on_busy"), "placet.on_busy") or on_busy or OnBusy.QUEUE,
    )


def _own_fields(body: dict[str, Any]) -> dict[str, Any]:
    own = cast("dict[str, Any]", check_field(body, "placet", dict[str, Any]) or {})
    for name in own:
        if name not in _OWN_FIELDS:
            raise InvalidInput(
                f"`placet` has no field of this name; it has {', '.join(sorted(_OWN_FIELDS))}.",
                param="placet",
            )
    return own


def _include_usage(body: dict[str, Any]) -> bool:
    options = cast("dict[str, Any]", check_field(body, "stream_options", dict[str, Any]) or {})
    include: object = options.get("include_usage")
    if include is not None and not isinstance(include, bool):
        raise InvalidInput("`include_usage` must be a boolean.", param="stream_options.include_usage")
    return bool(include)


def _system(body: dict[str, Any]) -> str:
    name = _either(body, "system_message", "instructions")
    if name is None:
        return ""
    if not isinstance(body[name], str):
        raise InvalidInput(f"`{name}` must be a string.", code="invalid_system_message", param=name)
    return cast("str", body[name])


def _either(body: dict[str, Any], name: str, alias: str) -> str | None:
    """Which of two names for one field is used; both may be, if they say the same."""
    given = [key for key in (name, alias) if body.get(key) is not None]
    if len(given) > 1 and body[name] != body[alias]:
        raise InvalidInput(f"`{name}` and `{alias}` are one field and must not differ.", param=alias)
    return given[0] if given else None
