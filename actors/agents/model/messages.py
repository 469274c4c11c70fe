"""The conversation in the model's words: system text, history with its tool calls and images, the user's message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.protocol.conversation import ChatMessage, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from placet.actors.agents.model.settings import JsonObject
    from placet.actors.agents.model.wire import Answer
    from placet.actors.protocol.conversation import Settings, ToolCall


NO_RESULT = "This call has no result: its turn ended before it did. What it had done by then is not known."
"""What the model is told of a call that was under way when its turn was stopped or failed. No provider takes one without."""


def opening(system: str, history: Iterable[ChatMessage], content: ChatMessage) -> list[JsonObject]:
    """The messages with which a turn begins.

    Args:
        system: system-level text, all of it; none if empty.
        history: what was said before.
        content: the message that is answered.
    """
    first: list[JsonObject] = [{"role": "system", "content": system}] if system else []
    return [*first, *map(worded, _paired(history)), worded(content)]


def of_answer(answer: Answer) -> ChatMessage:
    """The assistant's message, to be sent back with the results of its calls."""
    return ChatMessage("assistant", _said(answer.text) if answer.text else (), answer.calls)


def of_result(call: ToolCall, text: str) -> ChatMessage:
    """The message that gives a call's result."""
    return ChatMessage("tool", _said(text), tool_call_id=call.id, name=call.name)


def steered(text: str) -> ChatMessage:
    """The message of a person who spoke while the turn ran."""
    return ChatMessage("user", _said(text))


def _said(text: str) -> tuple[Part, ...]:
    return (Part("text", text),)


def _paired(history: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    """The history, with a result for each call that has none."""
    waiting: dict[str, ToolCall] = {}
    for message in history:
        if message.role == "tool":
            waiting.pop(message.tool_call_id or "", None)
        else:
            yield from (of_result(call, NO_RESULT) for call in waiting.values())
            waiting = {call.id: call for call in message.tool_calls}
        yield message
    yield from (of_result(call, NO_RESULT) for call in waiting.values())


def honoured(settings: Settings) -> JsonObject:
    """What the client asked of the model, under the names that it used; what it did not say is not said."""
    fields: JsonObject = msgspec.to_builtins(settings)
    return {name: value for name, value in fields.items() if name != "model" and value is not None}


def worded(message: ChatMessage) -> JsonObject:
    """A message as a request has it."""
    found: JsonObject = {"role": message.role, "content": _content(message.content)}
    if message.tool_calls:
        found["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        found["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        found["name"] = message.name
    if message.role == "tool" and found["content"] is None:
        found["content"] = ""
    return found


def _content(parts: tuple[Part, ...]) -> Any:
    """A lone text as a string, which every server takes; several parts as parts."""
    if not parts:
        return None
    if len(parts) == 1 and parts[0].type == "text":
        return parts[0].text
    return [_part(part) for part in parts]


def _part(part: Part) -> JsonObject:
    if part.type == "text":
        return {"type": "text", "text": part.text}
    image: JsonObject = {"url": part.url}
    return {
        "type": "image_url",
        "image_url": image if part.detail is None else {**image, "detail": part.detail},
    }


def _call(call: ToolCall) -> JsonObject:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
