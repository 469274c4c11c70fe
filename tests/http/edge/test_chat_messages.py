"""Messages and their content, each rule with its value from the contract."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.protocol.conversation import ChatMessage, Part, ToolCall
from tests.http.edge.requests import HI, parse, refusal, text

DATA_URL = "data:image/png;base64," + "A" * 1_500_000


def test_the_last_message_is_answered_and_the_others_are_history() -> None:
    chat = parse(
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one", "name": "ann"},
        {"role": "assistant", "content": "two"},
        {"role": "developer", "content": [{"type": "text", "text": "be kind"}]},
        {"role": "user", "content": "three"},
        {"role": "system", "content": "a late reminder"},
        {"role": "system", "content": ""},
    )
    assert chat.input.content == ChatMessage("user", text("three"))
    assert chat.input.history == (
        ChatMessage("user", text("one"), name="ann"),
        ChatMessage("assistant", text("two")),
    )
    assert chat.input.system == "be brief\nbe kind\na late reminder"


@pytest.mark.parametrize("silent", [{"content": None}, {}, {"content": ""}, {"content": []}])
def test_tool_calls_and_results_stay_whole(silent: dict[str, Any]) -> None:
    function = {"name": "look", "arguments": '{"at": "x"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    chat = parse(
        HI,
        {"role": "assistant", "tool_calls": [call, {"id": "call_2", "function": function}], **silent},
        {"role": "tool", "tool_call_id": "call_1", "content": "seen"},
        {"role": "tool", "tool_call_id": "call_2", **silent},
        HI,
    )
    assert chat.input.history is not None
    calls = tuple(ToolCall(call_id, "look", '{"at": "x"}') for call_id in ("call_1", "call_2"))
    assert chat.input.history[1:] == (
        ChatMessage("assistant", tool_calls=calls),
        ChatMessage("tool", text("seen"), tool_call_id="call_1"),
        ChatMessage("tool", tool_call_id="call_2"),
    )


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("a", text("a")),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], text("a", "b")),
        ([{"type": "input_text", "text": "a"}], text("a")),
        ([{"type": "output_text", "text": "a"}], text("a")),
        (["a", {"type": "text", "text": ""}, "b"], text("a", "b")),
        ([{"type": "image_url", "image_url": {"url": DATA_URL}}], (Part("image", url=DATA_URL),)),
        (
            [{"type": "image_url", "image_url": "https://x.example/a.png"}],
            (Part("image", url="https://x.example/a.png"),),
        ),
        (
            [
                {"type": "image_url", "image_url": {"url": "http://x.example/", "detail": "low"}},
                "what is it?",
            ],
            (Part("image", url="http://x.example/", detail="low"), *text("what is it?")),
        ),
        (
            [{"type": "input_image", "image_url": "https://x.example/", "detail": "high", "url": "ignored"}],
            (Part("image", url="https://x.example/", detail="high"),),
        ),
    ],
)
def test_content_keeps_its_parts_in_order(content: Any, parts: tuple[Part, ...]) -> None:
    assert parse({"role": "user", "content": content}).input.content.content == parts


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (5, "invalid_content_part", ""),
        ({"type": "text"}, "invalid_content_part", ""),
        (None, "invalid_content_part", ""),
        ([5], "invalid_content_part", "[0]"),
        (["a", {"type": "text"}], "invalid_content_part", "[1].text"),
        ([{"type": "text", "text": None}], "invalid_content_part", "[0].text"),
        ([{"type": "banana"}], "unsupported_content_type", "[0].type"),
        (["a", {"type": "input_file", "file_id": "f"}], "unsupported_content_type", "[1].type"),
        ([{}], "unsupported_content_type", "[0].type"),
        ([{"type": ["text"]}], "unsupported_content_type", "[0].type"),
        ([{"type": "image_url"}], "invalid_image_url", "[0].image_url"),
        ([{"type": "image_url", "image_url": {}}], "invalid_image_url", "[0].image_url"),
        ([{"type": "image_url", "image_url": "file:///etc/passwd"}], "invalid_image_url", "[0].image_url"),
        ([{"type": "image_url", "image_url": "https://"}], "invalid_image_url", "[0].image_url"),
        ([{"type": "image_url", "image_url": "https://a b"}], "invalid_image_url", "[0].image_url"),
        ([{"type": "image_url", "image_url": "data:image/png;base64"}], "invalid_image_url", "[0].image_url"),
        (
            [{"type": "image_url", "image_url": "data:text/html,x"}],
            "unsupported_content_type",
            "[0].image_url",
        ),
        ([{"type": "input_image", "file_id": "f"}], "invalid_image_url", "[0].image_url"),
        (
            [{"type": "image_url", "image_url": {"url": "https://a", "detail": "huge"}}],
            "invalid_content_part",
            "[0].detail",
        ),
        (
            [{"type": "image_url", "image_url": {"url": "https://a", "detail": []}}],
            "invalid_content_part",
            "[0].detail",
        ),
        (["a"] * 1001, "invalid_content_part", ""),
        ([], "no_user_message", ""),
        ("", "no_user_message", ""),
        (" \n\t", "no_user_message", ""),
    ],
)
def test_content_is_refused_with_the_place(content: Any, code: str, where: str) -> None:
    body = {"messages": [HI, {"role": "user", "content": content}]}
    assert refusal(body) == (code, f"messages[1].content{where}")


def test_a_thousand_parts_are_taken() -> None:
    assert len(parse({"role": "user", "content": ["a"] * 1000}).input.content.content) == 1000


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("messages", "code", "param"),
    [
        (None, "invalid_message", "messages"),
        ([], "invalid_message", "messages"),
        ({}, "invalid_message", "messages"),
        ("hi", "invalid_message", "messages"),
        ([None], "invalid_message", "messages[0]"),
        ([[]], "invalid_message", "messages[0]"),
        ([{"role": "banana", "content": "x"}, HI], "invalid_message", "messages[0].role"),
        ([{"role": "function", "content": "x"}, HI], "invalid_message", "messages[0].role"),
        ([HI, {"content": "x"}], "invalid_message", "messages[1].role"),
        ([{"role": ["user"], "content": "x"}], "invalid_message", "messages[0].role"),
        ([{"role": "user", "content": "x", "name": 5}], "invalid_message", "messages[0].name"),
        ([{"role": "user"}, HI], "invalid_content_part", "messages[0].content"),
        ([{"role": "system"}, HI], "invalid_content_part", "messages[0].content"),
        (
            [{"role": "system", "content": [{"type": "image_url", "image_url": "https://a"}]}, HI],
            "unsupported_content_type",
            "messages[0].content",
        ),
        ([{"role": "system", "content": "x"}], "no_user_message", "messages"),
        ([{"role": "developer", "content": "x"}], "no_user_message", "messages"),
        ([HI, {"role": "assistant", "content": "so"}], "last_message_not_user", "messages[1].role"),
        (
            [
                HI,
                {"role": "assistant", "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c", "content": "x"},
            ],
            "last_message_not_user",
            "messages[2].role",
        ),
        ([{"role": "tool", "content": "x"}, HI], "invalid_message", "messages[0].tool_call_id"),
        (
            [{"role": "user", "content": "x", "tool_calls": [CALL]}],
            "invalid_message",
            "messages[0].tool_calls",
        ),
        ([{"role": "assistant", "tool_calls": {}}, HI], "invalid_message", "messages[0].tool_calls"),
        ([{"role": "assistant", "tool_calls": [5]}, HI], "invalid_message", "messages[0].tool_calls[0]"),
        (
            [{"role": "assistant", "tool_calls": [CALL, CALL | {"type": "custom"}]}, HI],
            "invalid_message",
            "messages[0].tool_calls[1].type",
        ),
        (
            [{"role": "assistant", "tool_calls": [CALL | {"id": ""}]}, HI],
            "invalid_message",
            "messages[0].tool_calls[0].id",
        ),
        (
            [{"role": "assistant", "tool_calls": [CALL | {"function": None}]}, HI],
            "invalid_message",
            "messages[0].tool_calls[0].function",
        ),
        (
            [{"role": "assistant", "tool_calls": [CALL | {"function": {"name": "f", "arguments": {}}}]}, HI],
            "invalid_message",
            "messages[0].tool_calls[0].function.arguments",
        ),
        (
            [{"role": "assistant", "function_call": {"name": "f"}}, HI],
            "invalid_message",
            "messages[0].function_call",
        ),
    ],
)
def test_messages_are_refused_with_the_place(messages: Any, code: str, param: str) -> None:
    assert refusal({"messages": messages}) == (code, param)


def test_no_messages_at_all() -> None:
    assert refusal({}) == ("invalid_message", "messages")
