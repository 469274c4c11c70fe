"""A request for a run, `POST /v1/runs`: several ways to say the same as a chat completion does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.ids import check_session_id
from placet.http.chat_content import parse_content
from placet.http.chat_messages import Conversation, parse_history, parse_messages, require_visible
from placet.http.chat_request import ChatRequest, request_of
from placet.http.fields import check_field

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers


class RunRequest(msgspec.Struct, frozen=True):
    """One request for a run.

    Attributes:
        chat: what it asks.
        session_id: the session that its body names.
        previous: the run or response that it goes on from.
    """

    chat: ChatRequest
    session_id: str | None
    previous: str | None


def parse_run(body: dict[str, Any], headers: Headers) -> RunRequest:
    """The request in the body of a run.

    `input` is a string, a list of content parts, or a list of messages of which the last is answered. What was said before may
    also come as `conversation_history`. `instructions` are system-level.

    Args:
        body: the JSON object.
        headers: of the request, for what to do if the session is busy.

    Raises:
        InvalidInput: `missing_input`, `invalid_session_id`, or as in `parse_chat`.
    """
    asked = _conversation(body.get("input"))
    earlier, system = parse_history(body.get("conversation_history"), "conversation_history")
    instructions = check_field(body, "instructions", str) or ""
    session_id = check_field(body, "session_id", str)
    chat = request_of(
        body,
        headers,
        content=asked.content,
        history=(*earlier, *asked.history),
        system="\n".join(text for text in (instructions, system, asked.system) if text),
    )
    return RunRequest(
        chat=chat,
        session_id=None if session_id is None else check_session_id(session_id, param="session_id"),
        previous=check_field(body, "previous_response_id", str),
    )


def _conversation(value: object) -> Conversation:
    if value is None or value in ("", []):
        raise InvalidInput("There must be an `input`.", code="missing_input", param="input")
    if isinstance(value, list) and any(_is_message(item) for item in cast("list[object]", value)):
        return parse_messages([_as_message(item) for item in cast("list[object]", value)], "input")
    content = parse_content(value, "input")
    require_visible(content, "input")
    return Conversation(ChatMessage("user", content), (), "")


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and ("role" in item or item.get("type") == "message")


def _as_message(item: object) -> object:
    """A bare string among messages is the user's; so is a message without a role."""
    if isinstance(item, str):
        return {"role": "user", "content": item}
    return {"role": "user", **cast("dict[str, Any]", item)} if isinstance(item, dict) else item
