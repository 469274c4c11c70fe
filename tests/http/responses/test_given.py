"""The `input` of a response, as clients write it."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.protocol.conversation import ChatMessage, Part, ToolCall
from placet.actors.protocol.errors import InvalidInput
from placet.http.responses.given import parse_given
from placet.http.responses.item_shapes import ITEMS_MAX


def message(role: Any, *texts: str, **more: Any) -> ChatMessage:
    return ChatMessage(role, tuple(Part("text", text) for text in texts), **more)


HI = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "x"}
TOOL_CALL = ToolCall("c", "ls", "{}")


@pytest.mark.parametrize(
    ("value", "history", "asked"),
    [
        ("hi", [], message("user", "hi")),
        (["a", "hi"], [message("user", "a")], message("user", "hi")),
        ([HI], [], message("user", "hi")),
        ([{"content": "hi"}], [], message("user", "hi")),
        ([{"type": "message", **HI}], [], message("user", "hi")),
        (
            [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
            [],
            message("user", "a", "b"),
        ),
        (
            [HI, {"type": "input_text", "text": "b"}],
            [message("user", "hi")],
            message("user", "b"),
        ),
        (
            [{"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}, HI],
            [message("assistant", "a")],
            message("user", "hi"),
        ),
        (
            [HI, CALL, OUTPUT, HI],
            [
                message("user", "hi"),
                message("assistant", tool_calls=(TOOL_CALL,)),
                message("tool", "x", tool_call_id="c"),
            ],
            message("user", "hi"),
        ),
        (
            [{"role": "assistant", "content": "I look"}, CALL, CALL, HI],
            [message("assistant", "I look", tool_calls=(TOOL_CALL, TOOL_CALL))],
            message("user", "hi"),
        ),
        (
            [CALL, {**OUTPUT, "output": [{"type": "input_text", "text": "x"}]}, HI],
            [message("assistant", tool_calls=(TOOL_CALL,)), message("tool", "x", tool_call_id="c")],
            message("user", "hi"),
        ),
        (
            [
                {"type": "reasoning", "summary": []},
                {"type": "mcp_approval_request", "id": "m"},
                {"type": "mcp_approval_response", "approve": True},
                HI,
            ],
            [],
            message("user", "hi"),
        ),
    ],
)
def test_every_form_of_input(value: Any, history: list[ChatMessage], asked: ChatMessage) -> None:
    conversation = parse_given(value)
    assert (list(conversation.history), conversation.content) == (history, asked)


def test_system_messages_are_told_apart_wherever_they_stand() -> None:
    system, developer = ({"role": role, "content": role} for role in ("system", "developer"))
    conversation = parse_given([system, HI, developer, HI])
    assert conversation.system == "system\ndeveloper"
    assert conversation.history == (message("user", "hi"),)


@pytest.mark.parametrize(
    ("value", "code", "param"),
    [
        (None, "missing_input", "input"),
        (42, "invalid_message", "input"),
        ([], "no_user_message", "input"),
        ("  ", "no_user_message", "input[0]"),
        ([42], "invalid_message", "input[0]"),
        ([HI, {"role": "tool", "content": "x"}], "invalid_message", "input[1].role"),
        ([HI, {"role": ["user"], "content": "x"}], "invalid_message", "input[1].role"),
        ([{"role": "system", "content": "x"}], "no_user_message", "input"),
        ([HI, {"role": "assistant", "content": "x"}], "last_message_not_user", "input[1]"),
        ([HI, CALL, OUTPUT], "last_message_not_user", "input[2]"),
        ([{**CALL, "name": ""}, HI], "invalid_message", "input[0].name"),
        ([{**OUTPUT, "call_id": None}, HI], "invalid_message", "input[0].call_id"),
        ([{**OUTPUT, "output": None}, HI], "invalid_content_part", "input[0].output"),
        ([{"type": "item_reference", "id": "x"}, HI], "unsupported_input_item", "input[0].type"),
        ([{"type": []}, HI], "unsupported_input_item", "input[0].type"),
        ([{"type": "input_file"}, HI], "unsupported_input_item", "input[0].type"),
        ([HI, {"type": "mcp_approval_response", "approve": True}], "unsupported_input_item", "input[1].type"),
        (
            [{"role": "system", "content": [{"type": "input_image", "image_url": "https://x/y"}]}, HI],
            "unsupported_content_type",
            "input[0].content",
        ),
        (["x"] * (ITEMS_MAX + 1), "invalid_message", "input"),
    ],
)
def test_what_is_refused_names_the_item(value: Any, code: str, param: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_given(value)
    assert (caught.value.code, caught.value.param) == (code, param)
