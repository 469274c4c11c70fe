"""A request for a run, `POST /v1/runs`: several ways to say the same as a chat completion does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import msgspec

from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_content import parse_content, require_visible
from placet.http.chat_messages import Conversation, History, parse_messages
from placet.http.chat_request import ChatRequest, ChatTurn, turn_of
from placet.http.record import refer
from placet.http.requests.declared import Form
from placet.http.requests.parameters import SessionName
from placet.http.requests.shapes import MESSAGES, PARTS

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers


class RunInput(Form[Conversation]):
    """What is asked of a run. A type cannot say it: a list holds parts or messages, which are told apart by different fields."""

    shows: ClassVar[Any] = Annotated[
        Any,
        msgspec.Meta(
            extra_json_schema={
                "anyOf": [
                    {"type": "string", "pattern": r"\S", "examples": ["$ rm -f hello.txt"]},
                    {
                        "type": "array",
                        "minItems": 1,
                        "items": {"anyOf": [{"type": "string"}, *map(refer, PARTS)]},
                    },
                    {"type": "array", "minItems": 1, "items": {"anyOf": [*map(refer, MESSAGES)]}},
                ]
            }
        ),
    ]
    uses = (*MESSAGES, *PARTS)

    @staticmethod
    def parse(value: object, param: str) -> Conversation:
        """A string is the user's message; in a list of messages the last is answered; other lists are parts of one."""
        if value is None or value in ("", []):
            raise InvalidInput("There must be an `input`.", code="missing_input", param=param)
        if isinstance(value, list) and any(_is_message(item) for item in cast("list[object]", value)):
            return parse_messages([_as_message(item) for item in cast("list[object]", value)], param)
        content = parse_content(value, param)
        require_visible(content, param)
        return Conversation(ChatMessage("user", content), (), "")


class RunRequest(ChatTurn, frozen=True, kw_only=True):
    """Work that is not waited for.

    Attributes:
        input: what is asked: text, parts of content, or messages of which the last is answered.
        conversation_history: what was said before, oldest first.
        instructions: what the agent is to go by.
        session_id: the session to work in, as the header names it.
        previous_response_id: a run or response whose session goes on.
    """

    input: RunInput
    conversation_history: History | None = None
    instructions: str | None = None
    session_id: SessionName | None = None
    previous_response_id: str | None = None


def run_of(asked: RunRequest, headers: Headers) -> ChatRequest:
    """The request for a turn in a request for a run.

    Args:
        asked: the body.
        headers: of the request, for what to do if the session is busy.

    Raises:
        InvalidInput: as `chat_of`.
    """
    said = asked.input.value
    earlier, system = asked.conversation_history.value if asked.conversation_history else ((), "")
    return turn_of(
        asked,
        headers,
        content=said.content,
        history=(*earlier, *said.history),
        system="\n".join(text for text in (asked.instructions, system, said.system) if text),
    )


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and ("role" in item or item.get("type") == "message")


def _as_message(item: object) -> object:
    """A bare string among messages is the user's; so is a message without a role."""
    if isinstance(item, str):
        return {"role": "user", "content": item}
    return {"role": "user", **cast("dict[str, Any]", item)} if isinstance(item, dict) else item
