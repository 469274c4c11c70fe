"""The chat request as a whole: how it wants to be served, and any shape that it may have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.conversation import ChatMessage, Settings
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_request import ChatRequest, SessionChatRequest, fingerprint, session_chat_of
from placet.http.dialect import Dialect
from placet.http.requests.declared import read
from tests.http.edge.requests import HI, NO_HEADERS, parse, parse_chat, refusal, text

UNHURRIED = settings(deadline=None)  # other work on the machine must not fail a test


def parse_session_chat(body: dict[str, Any]) -> ChatRequest:
    return session_chat_of(read(SessionChatRequest, body), NO_HEADERS)


def test_the_smallest_request() -> None:
    chat = parse(HI)
    assert (chat.stream, chat.include_usage, chat.model, chat.approvals) == (False, False, None, None)
    assert chat.on_busy is OnBusy.QUEUE
    assert chat.input.content == ChatMessage("user", text("hi"))
    assert (chat.input.history, chat.input.system, chat.input.settings) == ((), "", Settings())


def test_streams_and_their_usage() -> None:
    assert parse(stream=True).stream
    assert not parse(stream=True).include_usage
    assert parse(stream=True, stream_options={"include_usage": True, "x": 1}).include_usage
    body = {"messages": [HI], "stream_options": {"include_usage": 1}}
    assert refusal(body) == ("invalid_params", "stream_options.include_usage")


def test_placets_own_fields() -> None:
    chat = parse(placet={"approvals": "none", "on_busy": "reject"})
    assert (chat.approvals, chat.on_busy) == (Dialect.NONE, OnBusy.REJECT)
    assert refusal({"messages": [HI], "placet": {"aprovals": "none"}}) == ("invalid_params", "placet")
    assert refusal({"messages": [HI], "placet": {"on_busy": "steer"}}) == ("invalid_params", "placet.on_busy")


def test_on_busy_may_be_a_header_and_yields_to_the_body() -> None:
    headers = Headers({"X-Placet-On-Busy": "interrupt"})
    assert parse_chat({"messages": [HI]}, headers).on_busy is OnBusy.INTERRUPT
    assert parse_chat({"messages": [HI], "placet": {"on_busy": "queue"}}, headers).on_busy is OnBusy.QUEUE
    assert refusal({"messages": [HI]}, Headers({"X-Placet-On-Busy": "wait"})) == (
        "invalid_params",
        "X-Placet-On-Busy",
    )


@pytest.mark.parametrize("name", ["message", "input"])
@pytest.mark.parametrize("system", ["system_message", "instructions"])
def test_a_sessions_chat(name: str, system: str) -> None:
    chat = parse_session_chat({name: ["hi"], system: "be brief", "model": "m", "stream": True})
    assert chat.input.content == ChatMessage("user", text("hi"))
    assert (chat.input.history, chat.input.system, chat.model, chat.stream) == (None, "be brief", "m", True)


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({}, "missing_message", "message"),
        ({"message": None}, "missing_message", "message"),
        ({"message": ""}, "no_user_message", "message"),
        ({"input": [{"type": "banana"}]}, "unsupported_content_type", "input[0].type"),
        ({"message": "a", "input": "b"}, "invalid_params", "input"),
        ({"message": "a", "system_message": 5}, "invalid_system_message", "system_message"),
        ({"message": "a", "instructions": ["x"]}, "invalid_system_message", "instructions"),
        ({"message": "a", "n": 3}, "unsupported_parameter", "n"),
    ],
)
def test_a_sessions_chat_is_refused_with_the_place(body: dict[str, Any], code: str, param: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_session_chat(body)
    assert (caught.value.code, caught.value.param) == (code, param)


def test_both_names_may_say_the_same() -> None:
    assert parse_session_chat({"message": "a", "input": "a"}).input.content.text == "a"


WORDS = ["user", "assistant", "tool", "text", "image_url", "function"]
NAMES = [
    "role",
    "content",
    "type",
    "text",
    "image_url",
    "url",
    "detail",
    "tool_calls",
    "id",
    "function",
    "name",
]
TOP = ["stop", "model", "placet", "tool_choice", "stream_options", "metadata", "seed"]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=20,
)


@UNHURRIED
@given(st.dictionaries(st.sampled_from(TOP), values), values, st.lists(values, max_size=3))
def test_any_shape_is_taken_or_refused_and_nothing_else(
    body: dict[str, Any], content: Any, others: list[Any]
) -> None:
    for messages in ([*others, {"role": "user", "content": content}], others, content):
        try:
            chat = parse_chat(body | {"messages": messages}, NO_HEADERS)
        except InvalidInput:
            continue
        assert len(fingerprint("chat", None, chat)) == 64
