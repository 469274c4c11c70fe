"""Keeping a conversation within what the model can read: what tools were given and what they gave is shortened, the oldest first.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.agents.model.settings import JsonObject

CHARACTERS_A_TOKEN = 3
"""English has about four, code and other languages fewer. Nobody but the provider can count tokens exactly."""

IMAGE_TOKENS = 1000
"""What an image costs, about; not the length of its data."""

KEPT_CHARACTERS = 400
"""Of a shortened output, half at its head and half at its tail: enough to see what it was."""


def fitted(messages: Sequence[JsonObject], limit_tokens: int) -> list[JsonObject]:
    """The messages, with as many tool calls and outputs shortened as it takes, the oldest first. Each shortened one says so.

    Args:
        messages: as they would be sent.
        limit_tokens: what the model can read. Where even that is not enough the rest is left whole, and the model refuses.
    """
    fitting = list(messages)
    excess = sum(map(_characters, fitting)) - limit_tokens * CHARACTERS_A_TOKEN
    for place, message in enumerate(fitting):
        if excess <= 0:
            break
        fitting[place] = _shortened(message)
        excess -= _characters(message) - _characters(fitting[place])
    return fitting


def _shortened(message: JsonObject) -> JsonObject:
    if message["role"] == "tool":
        return {**message, "content": _output(message["content"])}
    if "tool_calls" in message:
        return {**message, "tool_calls": [_call(call) for call in message["tool_calls"]]}
    return message


def _call(call: JsonObject) -> JsonObject:
    """The call; if its arguments are long, such as a file that was written, with a word in their place. It must still be JSON."""
    arguments: str = call["function"]["arguments"]
    if len(arguments) <= 2 * KEPT_CHARACTERS:
        return call
    notice = f"{len(arguments)} characters of arguments, because the conversation grew too long"
    left_out = msgspec.json.encode({"left_out": notice}).decode()
    return {**call, "function": {**call["function"], "arguments": left_out}}


def _output(content: Any) -> Any:
    if not isinstance(content, str) or len(content) <= 2 * KEPT_CHARACTERS:
        return content
    half = KEPT_CHARACTERS // 2
    cut = len(content) - 2 * half
    notice = f"{cut} characters of this output are left out, because the conversation grew too long"
    return f"{content[:half]}\n[{notice}]\n{content[-half:]}"


def _characters(value: Any) -> int:
    """How long a message is, about."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        fields: JsonObject = value
        if fields.get("type") == "image_url":
            return IMAGE_TOKENS * CHARACTERS_A_TOKEN
        return sum(_characters(each) for each in fields.values())
    if isinstance(value, list):
        items: list[Any] = value
        return sum(_characters(each) for each in items)
    return 0
