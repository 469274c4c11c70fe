"""A request for a response: what it asks, what it goes on from, how it wants to be served."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import msgspec

from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.filing import TRUNCATED_TO
from placet.http.chat_messages import parse_history
from placet.http.chat_request import ChatRequest, request_of
from placet.http.fields import check_field
from placet.http.responses.given import parse_given

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
_Tokens = Annotated[int, msgspec.Meta(ge=1)]
_Truncation = Literal["auto", "disabled"]


class ResponseRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a response.

    Attributes:
        chat: what it asks; its history is what the request itself says came before.
        brings_history: whether that history is the whole of it, so that nothing that is stored counts.
        instructions: its own, if it has any; else those of what it goes on from hold.
        previous: the response that it goes on from.
        conversation: the conversation that it goes on with.
        stored: whether the response can be read later.
        background: whether its client does not wait for the end.
        truncates: whether only the newest part of a long history counts.
    """

    chat: ChatRequest
    brings_history: bool
    instructions: str | None
    previous: str | None
    conversation: str | None
    stored: bool
    background: bool
    truncates: bool

    def fingerprint(self, session_id: str | None) -> str:
        """What two requests share if and only if they mean the same: SHA-256 in hex.

        A conversation counts by its name, not by where it stands: that moves on, and a retry stays the same.

        Args:
            session_id: the session that the client named, if it named one.
        """
        meaning = {
            "v": 1,
            "kind": "responses",
            "session_id": session_id,
            "input": msgspec.to_builtins(self.chat.input),
            "goes_on_from": [self.previous, self.conversation, self.brings_history],
            "instructions": self.instructions,
            "stored": self.stored,
            "truncates": self.truncates,
        }
        return hashlib.sha256(msgspec.json.encode(meaning, order="deterministic")).hexdigest()


def parse_response(body: dict[str, Any], headers: Headers) -> ResponseRequest:
    """The request in the body of a response.

    Args:
        body: the JSON object.
        headers: of the request, for what to do if the session is busy.

    Raises:
        InvalidInput: with the field in `param`; see `parse_given` and `parse_settings` for the codes.
    """
    asked = parse_given(body.get("input"))
    earlier, earlier_system = parse_history(body.get("conversation_history"), "conversation_history")
    truncates = check_field(body, "truncation", _Truncation) == "auto"
    history = (*earlier, *asked.history)
    previous, conversation = _goes_on_from(body)
    stored = check_field(body, "store", bool) is not False
    background = check_field(body, "background", bool) or False
    if background and not stored:
        raise InvalidInput(
            "What runs in the background must be stored, or nobody could read it.", param="store"
        )
    chat = request_of(
        _in_words_of_chat(body),
        headers,
        content=asked.content,
        history=history[-TRUNCATED_TO:] if truncates else history,
        system="\n".join(text for text in (earlier_system, asked.system) if text),
    )
    return ResponseRequest(
        chat=chat,
        brings_history=body.get("conversation_history") is not None,
        instructions=check_field(body, "instructions", str),
        previous=previous,
        conversation=conversation,
        stored=stored,
        background=background,
        truncates=truncates,
    )


def _goes_on_from(body: dict[str, Any]) -> tuple[str | None, str | None]:
    previous = check_field(body, "previous_response_id", _Name)
    conversation: Any = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = check_field(cast("dict[str, Any]", conversation), "id", _Name)
    conversation = check_field({"conversation": conversation}, "conversation", _Name)
    if previous is not None and conversation is not None:
        raise InvalidInput(
            "A response goes on from `previous_response_id` or with a `conversation`, not both.",
            param="conversation",
        )
    return previous, conversation


def _in_words_of_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The body with those settings renamed that are called otherwise in a chat completion."""
    chat = {
        name: value for name, value in body.items() if name not in ("max_tokens", "max_completion_tokens")
    }
    chat["max_completion_tokens"] = check_field(body, "max_output_tokens", _Tokens)
    reasoning = check_field(body, "reasoning", dict[str, Any]) or {}
    if reasoning.get("effort") is not None:
        chat["reasoning_effort"] = reasoning["effort"]
    text = check_field(body, "text", dict[str, Any]) or {}
    if text.get("format") is not None:
        chat["response_format"] = _response_format(text["format"])
    return chat


def _response_format(value: Any) -> dict[str, Any]:
    """A format as chat completions nest it: what describes a schema is one level down."""
    described = cast("dict[str, Any]", check_field({"text.format": value}, "text.format", dict[str, Any]))
    if described.get("type") != "json_schema":
        return described
    schema = {name: part for name, part in described.items() if name != "type"}
    return {"type": "json_schema", "json_schema": schema}
