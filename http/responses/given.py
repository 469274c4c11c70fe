"""The `input` of a response: text, messages, parts, and items of an earlier output, brought into Placet's own form."""

from __future__ import annotations

from typing import Any, Final, cast

from msgspec.structs import replace

from placet.actors.protocol.conversation import ChatMessage, Role, ToolCall
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_content import parse_content, require_visible
from placet.http.chat_messages import Conversation
from placet.http.requests.declared import Form
from placet.http.responses import item_shapes

_ROLES: Final[dict[object, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_PART_TYPES: Final = ("input_text", "output_text", "text", "input_image", "image_url")
_SKIPPED: Final = ("reasoning", "mcp_approval_request", "mcp_approval_response")
"""What a client that sends an output back has in it, and what tells the agent nothing: thoughts, and prompts that have ended."""


class Input(Form[Conversation]):
    """The input of a response."""

    shows = item_shapes.Input
    uses = item_shapes.INPUTS

    @staticmethod
    def parse(value: object, param: str) -> Conversation:
        """What it says."""
        return parse_given(value, param)


def parse_given(value: object, param: str = "input") -> Conversation:
    """The conversation in an `input` field; its last message is what is answered.

    A string is the user's message. In a list, a string or an object with a role is a message (the role is the user's if it is not
    said), parts that follow one another are one message of the user, a `function_call` joins the assistant's message before it,
    a `function_call_output` is a tool's message. Thoughts and prompts of an earlier output are skipped, nothing else is.

    Args:
        value: the field.
        param: what it is called.

    Raises:
        InvalidInput: `missing_input`, `invalid_message`, `no_user_message`, `last_message_not_user`, or what `parse_content`
            raises. `param` names the item.
    """
    if value is None:
        raise InvalidInput("There must be an `input`.", code="missing_input", param=param)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise _invalid("The input is a string or a list of items.", param)
    items = cast("list[object]", value)
    if len(items) > item_shapes.ITEMS_MAX:
        raise _invalid(f"The input has more than {item_shapes.ITEMS_MAX} items.", param)
    reader = _Reader()
    for index, item in enumerate(items):
        reader.read(item, f"{param}[{index}]")
    return reader.conversation(param)


class _Reader:
    """Takes items one by one."""

    def __init__(self) -> None:
        self._messages: list[ChatMessage] = []
        self._system: list[str] = []
        self._last = ""
        self._last_kind: object = None

    def read(self, item: object, param: str) -> None:
        fields = cast("dict[str, Any]", item) if isinstance(item, dict) else None
        kind = "message" if fields is None else fields.get("type", "message")
        if fields is None:
            self._add(ChatMessage("user", parse_content(_text(item, param), param)))
        elif kind == "message":
            self._message(fields, param)
        elif kind in _PART_TYPES:
            self._part(fields, param)
        elif kind == "function_call":
            self._call(fields, param)
        elif kind == "function_call_output":
            self._call_output(fields, param)
        elif kind not in _SKIPPED:
            raise InvalidInput(
                "An item is a message, a part, a function_call or its output.",
                code="unsupported_input_item",
                param=f"{param}.type",
            )
        self._last, self._last_kind = param, kind

    def conversation(self, param: str) -> Conversation:
        if self._last_kind == "mcp_approval_response":
            raise InvalidInput(
                "A prompt is decided at POST /v1/runs/{run_id}/approval or in the inbox, while its run waits.",
                code="unsupported_input_item",
                param=f"{self._last}.type",
            )
        if not any(message.role == "user" for message in self._messages):
            raise InvalidInput("There is no message of a user.", code="no_user_message", param=param)
        last = self._messages[-1]
        if last.role != "user":
            raise InvalidInput(
                "The last message must be the user's: it is what is answered.",
                code="last_message_not_user",
                param=self._last,
            )
        require_visible(last.content, self._last)
        return Conversation(content=last, history=tuple(self._messages[:-1]), system="\n".join(self._system))

    def _add(self, message: ChatMessage) -> None:
        self._messages.append(message)

    def _message(self, fields: dict[str, Any], param: str) -> None:
        role = fields.get("role", "user")
        known = _ROLES.get(role) if isinstance(role, str) else None
        if known is None:
            raise _invalid("The role is one of system, developer, user, assistant.", f"{param}.role")
        content = fields.get("content")
        parts = parse_content("" if content is None else content, f"{param}.content")
        if known != "system":
            self._add(ChatMessage(known, parts))
        elif all(part.type == "text" for part in parts):
            self._system += [part.text for part in parts]
        else:
            raise InvalidInput(
                "A system message is text.", code="unsupported_content_type", param=f"{param}.content"
            )

    def _part(self, fields: dict[str, Any], param: str) -> None:
        parts = parse_content([fields], param)
        if self._last_kind in _PART_TYPES:
            self._messages[-1] = replace(self._messages[-1], content=self._messages[-1].content + parts)
        else:
            self._add(ChatMessage("user", parts))

    def _call(self, fields: dict[str, Any], param: str) -> None:
        call = ToolCall(
            id=_string(fields, "call_id", param),
            name=_string(fields, "name", param),
            arguments=_string(fields, "arguments", param, may_be_empty=True),
        )
        if self._messages and self._messages[-1].role == "assistant":
            last = self._messages[-1]
            self._messages[-1] = replace(last, tool_calls=(*last.tool_calls, call))
        else:
            self._add(ChatMessage("assistant", tool_calls=(call,)))

    def _call_output(self, fields: dict[str, Any], param: str) -> None:
        content = parse_content(fields.get("output"), f"{param}.output")
        self._add(ChatMessage("tool", content, tool_call_id=_string(fields, "call_id", param)))


def _text(item: object, param: str) -> str:
    if not isinstance(item, str):
        raise _invalid("An item is an object or a string.", param)
    return item


def _string(fields: dict[str, Any], name: str, param: str, *, may_be_empty: bool = False) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise _invalid(f"`{name}` must be a string.", f"{param}.{name}")
    return value


def _invalid(message: str, param: str) -> InvalidInput:
    return InvalidInput(message, code="invalid_message", param=param)
