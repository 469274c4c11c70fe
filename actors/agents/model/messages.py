"""The conversation in the model's words: system text, history with its tool calls and images, the user's message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.actors.agents.model.settings import JsonObject
    from placet.actors.agents.model.wire import Answer
    from placet.actors.protocol.conversation import ChatMessage, Part, Settings, ToolCall


def opening(system: str, history: Iterable[ChatMessage], content: ChatMessage) -> list[JsonObject]:
    """The messages with which a turn begins.

    Args:
        system: system-level text, all of it; none if empty.
        history: what was said before.
        content: the message that is answered.
    """
    first: list[JsonObject] = [{"role": "system", "content": system}] if system else []
    return [*first, *map(_message, history), _message(content)]


def of_answer(answer: Answer) -> JsonObject:
    """The assistant's message, to be sent back with the results of its calls."""
    message: JsonObject = {"role": "assistant", "content": answer.text or None}
    return {**message, "tool_calls": [_call(call) for call in answer.calls]} if answer.calls else message


def of_result(call: ToolCall, text: str) -> JsonObject:
    """The message that gives a call's result."""
    return {"role": "tool", "tool_call_id": call.id, "content": text}


def steered(text: str) -> JsonObject:
    """The message of a person who spoke while the turn ran."""
    return {"role": "user", "content": text}


def honoured(settings: Settings) -> JsonObject:
    """What the client asked of the model, under the names that it used; what it did not say is not said."""
    fields: JsonObject = msgspec.to_builtins(settings)
    return {name: value for name, value in fields.items() if name != "model" and value is not None}


def _message(message: ChatMessage) -> JsonObject:
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
