"""The messages of a chat request, brought into Placet's own form with nothing dropped."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

import msgspec

from placet.actors.protocol.conversation import ChatMessage, Part, Role, ToolCall
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_content import parse_content, require_visible
from placet.http.requests.declared import Form
from placet.http.requests.shapes import Message

_ROLES: dict[object, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_MAY_BE_SILENT = frozenset({"assistant", "tool"})
"""Roles whose content may be null or missing: a message of tool calls alone, a tool that said nothing."""


class Conversation(msgspec.Struct, frozen=True):
    """What a list of messages says.

    Attributes:
        content: the user's message that is to be answered: the last one.
        history: what came before it, system messages left out.
        system: the text of all system and developer messages, wherever they stood, joined by newlines.
    """

    content: ChatMessage
    history: tuple[ChatMessage, ...]
    system: str


_EXAMPLES: Final = [[{"role": "user", "content": text}] for text in ("Say hello.", "$ rm -f hello.txt")]


class Messages(Form[Conversation]):
    """The messages of a chat; the last is what is answered."""

    shows = Annotated[list[Message], msgspec.Meta(min_length=1, examples=_EXAMPLES)]

    @staticmethod
    def parse(value: object, param: str) -> Conversation:
        """What they say."""
        return parse_messages(value, param)


class History(Form[tuple[tuple[ChatMessage, ...], str]]):
    """Messages that were said before one that stands elsewhere."""

    shows = list[Message]

    @staticmethod
    def parse(value: object, param: str) -> tuple[tuple[ChatMessage, ...], str]:
        """What they say, and the system-level text in them."""
        return parse_history(value, param)


def parse_messages(value: object, param: str = "messages") -> Conversation:
    """The conversation in a `messages` field.

    The last message that is not system-level must be the user's, and say something: it is what the turn answers. A list that
    ends in an assistant or tool message is refused, because to answer an earlier message would turn the order round, and
    to leave the last ones out would drop them in silence.

    Args:
        value: the field.
        param: what it is called.

    Raises:
        InvalidInput: `no_user_message`, `last_message_not_user`, `invalid_message`, or what `parse_content` raises. `param`
            names the message and the field.
    """
    if not isinstance(value, list) or not value:
        raise _invalid("There must be a list of at least one message.", param)
    messages = _messages(value, param)
    spoken = [index for index, message in enumerate(messages) if message.role != "system"]
    if not spoken:
        raise InvalidInput("There is no message of a user.", code="no_user_message", param=param)
    last = messages[spoken[-1]]
    if last.role != "user":
        raise InvalidInput(
            "The last message must be the user's: it is what is answered.",
            code="last_message_not_user",
            param=f"{param}[{spoken[-1]}].role",
        )
    require_visible(last.content, f"{param}[{spoken[-1]}].content")
    return Conversation(
        content=last,
        history=tuple(messages[index] for index in spoken[:-1]),
        system=_system(messages),
    )


def parse_history(value: object, param: str) -> tuple[tuple[ChatMessage, ...], str]:
    """The conversation before a message that stands elsewhere, and the system-level text in it.

    Args:
        value: the field.
        param: what it is called.

    Raises:
        InvalidInput: `invalid_message`, or what `parse_content` raises.
    """
    if not isinstance(value, list):
        raise _invalid("There must be a list of messages.", param)
    messages = _messages(value, param)
    return tuple(message for message in messages if message.role != "system"), _system(messages)


def _messages(value: list[Any], param: str) -> list[ChatMessage]:
    return [_message(item, f"{param}[{index}]") for index, item in enumerate(value)]


def _system(messages: list[ChatMessage]) -> str:
    return "\n".join(message.text for message in messages if message.role == "system" and message.text)


def _message(item: object, param: str) -> ChatMessage:
    if not isinstance(item, dict):
        raise _invalid("A message must be an object.", param)
    fields = cast("dict[str, Any]", item)
    role = _role(fields.get("role"), f"{param}.role")
    return ChatMessage(
        role=role,
        content=_content(fields.get("content"), role, f"{param}.content"),
        tool_calls=_tool_calls(fields, role, param),
        tool_call_id=_tool_call_id(fields, role, param),
        name=_optional_string(fields, "name", param),
    )


def _role(value: object, param: str) -> Role:
    role = _ROLES.get(value) if isinstance(value, str) else None
    if role is None:
        raise _invalid("The role is one of system, developer, user, assistant, tool.", param)
    return role


def _content(value: object, role: Role, param: str) -> tuple[Part, ...]:
    if value is None and role in _MAY_BE_SILENT:
        return ()
    parts = parse_content(value, param)
    if role == "system" and any(part.type != "text" for part in parts):
        raise InvalidInput("A system message is text.", code="unsupported_content_type", param=param)
    return parts


def _tool_calls(fields: dict[str, Any], role: Role, param: str) -> tuple[ToolCall, ...]:
    if fields.get("function_call") is not None:
        raise _invalid("Calls are given as `tool_calls`.", f"{param}.function_call")
    calls = fields.get("tool_calls")
    if calls is None:
        return ()
    if not isinstance(calls, list) or (calls and role != "assistant"):
        raise _invalid("Tool calls are a list in an assistant's message.", f"{param}.tool_calls")
    return tuple(
        _tool_call(call, f"{param}.tool_calls[{index}]")
        for index, call in enumerate(cast("list[object]", calls))
    )


def _tool_call(item: object, param: str) -> ToolCall:
    if not isinstance(item, dict):
        raise _invalid("A tool call must be an object.", param)
    call = cast("dict[str, Any]", item)
    if call.get("type", "function") != "function":
        raise _invalid("A tool call is of type function.", f"{param}.type")
    function = call.get("function")
    if not isinstance(function, dict):
        raise _invalid("A tool call needs an object as `function`.", f"{param}.function")
    named = cast("dict[str, Any]", function)
    return ToolCall(
        id=_string(call, "id", param),
        name=_string(named, "name", f"{param}.function"),
        arguments=_string(named, "arguments", f"{param}.function", may_be_empty=True),
    )


def _tool_call_id(fields: dict[str, Any], role: Role, param: str) -> str | None:
    return _string(fields, "tool_call_id", param) if role == "tool" else None


def _string(fields: dict[str, Any], name: str, param: str, *, may_be_empty: bool = False) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise _invalid(f"`{name}` must be a string.", f"{param}.{name}")
    return value


def _optional_string(fields: dict[str, Any], name: str, param: str) -> str | None:
    return None if fields.get(name) is None else _string(fields, name, param, may_be_empty=True)


def _invalid(message: str, param: str) -> InvalidInput:
    return InvalidInput(message, code="invalid_message", param=param)
