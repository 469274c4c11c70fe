"""What is shortened when a conversation grows too long."""

from __future__ import annotations

import json
from typing import Any

from placet.actors.agents.model.context import CHARACTERS_A_TOKEN, KEPT_CHARACTERS, fitted


def tool_output(letter: str, length: int = 3000) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": letter, "content": letter * length}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_what_fits_is_left_alone() -> None:
    messages = [user("x" * 300), tool_output("a", 300)]
    assert fitted(messages, 600 // CHARACTERS_A_TOKEN + 50) == messages


def test_the_oldest_outputs_are_shortened_first_and_say_so() -> None:
    messages = [user("x" * 3000), *map(tool_output, "abc")]
    kept = fitted(messages, 9000 // CHARACTERS_A_TOKEN)
    assert kept[0] == messages[0]
    half = KEPT_CHARACTERS // 2
    cut = 3000 - KEPT_CHARACTERS
    notice = f"{cut} characters of this output are left out, because the conversation grew too long"
    for place, letter in ((1, "a"), (2, "b")):
        assert kept[place] == {
            **messages[place], "content": f"{letter * half}\n[{notice}]\n{letter * half}",
        }  # fmt: skip
    assert kept[3] == messages[3]
    assert messages[1] == tool_output("a"), "what was given is not changed"


def test_short_outputs_and_other_messages_are_never_shortened() -> None:
    messages = [user("x" * 9000), tool_output("a", 2 * KEPT_CHARACTERS), tool_output("b")]
    kept = fitted(messages, 10)
    assert kept[:2] == messages[:2]
    assert len(kept[2]["content"]) < 1000


def test_long_arguments_of_old_calls_are_left_out_and_are_still_json() -> None:
    long = json.dumps({"path": "a", "content": "x" * 3000})
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in (("write", long), ("look", "{}"))
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    (kept,) = fitted([message], 100)
    written = json.loads(kept["tool_calls"][0]["function"]["arguments"])
    assert written == {
        "left_out": f"{len(long)} characters of arguments, because the conversation grew too long"
    }
    assert kept["tool_calls"][1] == calls[1]
    assert message["tool_calls"][0]["function"]["arguments"] == long, "what was given is not changed"


def test_an_image_counts_as_an_image() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1_000_000}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "look"}, image]}, tool_output("a")]
    assert fitted(messages, 3000) == messages
