"""The chat request: each rule with its value from the contract."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.conversation import ChatMessage, Part, Settings, ToolCall
from placet.actors.protocol.errors import InvalidInput
from placet.http.chat_request import ChatRequest, fingerprint, parse_chat, parse_session_chat
from placet.http.dialect import Dialect
from placet.http.strict_json import parse_object

UNHURRIED = settings(deadline=None)  # other work on the machine must not fail a test

HI = {"role": "user", "content": "hi"}
NO_HEADERS = Headers()
DATA_URL = "data:image/png;base64," + "A" * 1_500_000


def text(*texts: str) -> tuple[Part, ...]:
    return tuple(Part("text", text=each) for each in texts)


def parse(*messages: Any, **fields: Any) -> ChatRequest:
    return parse_chat({"messages": list(messages) or [HI], **fields}, NO_HEADERS)


def refusal(body: dict[str, Any], headers: Headers = NO_HEADERS) -> tuple[str, str | None]:
    with pytest.raises(InvalidInput) as caught:
        parse_chat(body, headers)
    return caught.value.code, caught.value.param


def test_the_smallest_request() -> None:
    chat = parse(HI)
    assert (chat.stream, chat.include_usage, chat.model, chat.approvals) == (False, False, None, None)
    assert chat.on_busy is OnBusy.QUEUE
    assert chat.input.content == ChatMessage("user", text("hi"))
    assert (chat.input.history, chat.input.system, chat.input.settings) == ((), "", Settings())


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


def test_honoured_settings() -> None:
    chat = parse(
        model="m",
        temperature=1,
        top_p=0.5,
        max_tokens=1,
        max_completion_tokens=2,
        stop="z",
        seed=-1,
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
        reasoning_effort="low",
        presence_penalty=-2,
        frequency_penalty=2,
        user="u",
        metadata={"k": "v"},
    )
    assert chat.model == "m"
    assert chat.input.settings == Settings(
        model="m",
        temperature=1.0,
        top_p=0.5,
        max_tokens=1,
        max_completion_tokens=2,
        stop=("z",),
        seed=-1,
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
        reasoning_effort="low",
        presence_penalty=-2.0,
        frequency_penalty=2.0,
        user="u",
        metadata={"k": "v"},
    )


def test_null_is_the_same_as_missing() -> None:
    others = ["stream", "stream_options", "placet", "n", "logprobs", "tools", "tool_choice", "function_call"]
    assert parse(**dict.fromkeys([*Settings.__struct_fields__, *others])) == parse()


def test_newer_and_unknown_fields_are_ignored() -> None:
    chat = parse(store=True, parallel_tool_calls=False, service_tier="auto", x_unknown={"a": 1})
    assert chat == parse()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", 5),
        ("model", "m" * 257),
        ("temperature", 2.1),
        ("temperature", -0.1),
        ("temperature", "1"),
        ("temperature", True),
        ("top_p", 1.1),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("max_tokens", True),
        ("max_completion_tokens", -1),
        ("stop", 5),
        ("stop", ""),
        ("stop", ["a", 5]),
        ("stop", ["a"] * 17),
        ("seed", "1"),
        ("seed", 2**63),
        ("response_format", "json"),
        ("reasoning_effort", ""),
        ("reasoning_effort", 1),
        ("presence_penalty", 2.1),
        ("frequency_penalty", -2.1),
        ("user", 1),
        ("metadata", []),
        ("n", 0),
        ("n", "1"),
        ("n", True),
        ("logprobs", 1),
        ("tools", {}),
        ("tools", ["t"]),
        ("stream", "false"),
        ("stream", "true"),
        ("stream", 1),
        ("stream", 0),
        ("stream_options", True),
        ("stream_options", []),
        ("placet", "chunk"),
    ],
)
def test_a_wrong_type_or_range_is_refused(field: str, value: Any) -> None:
    assert refusal({"messages": [HI], field: value}) == ("invalid_params", field)


def test_a_response_format_of_no_known_type() -> None:
    body = {"messages": [HI], "response_format": {"type": "xml"}}
    assert refusal(body) == ("invalid_params", "response_format.type")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", 2),
        ("logprobs", True),
        ("tool_choice", "required"),
        ("tool_choice", {"type": "function", "function": {"name": "f"}}),
        ("function_call", {"name": "f"}),
    ],
)
def test_what_cannot_be_honoured_is_said(field: str, value: Any) -> None:
    assert refusal({"messages": [HI], "tools": [{}], field: value}) == ("unsupported_parameter", field)


@pytest.mark.parametrize("choice", ["none", "auto", None])
def test_tools_that_nothing_forces_are_taken(choice: str | None) -> None:
    assert parse(tools=[{"type": "function"}], tool_choice=choice, n=1, logprobs=False) == parse()


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
    chat = parse_session_chat({name: ["hi"], system: "be brief", "model": "m", "stream": True}, NO_HEADERS)
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
        parse_session_chat(body, NO_HEADERS)
    assert (caught.value.code, caught.value.param) == (code, param)


def test_both_names_may_say_the_same() -> None:
    assert parse_session_chat({"message": "a", "input": "a"}, NO_HEADERS).input.content.text == "a"


def print_of(raw: bytes, session_id: str | None = None) -> str:
    return fingerprint("chat", session_id, parse_chat(parse_object(raw), NO_HEADERS))


PLAIN = rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1}'


@pytest.mark.parametrize(
    "same",
    [
        rb'{ "temperature": 1.0, "messages" : [ {"content":"h\u0069", "role":"user"} ], "model":"m" }',
        rb'{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"temperature":1}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1,"stream":true}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1,"stream_options":{"include_usage":true}}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1,"x_unknown":5,"top_p":null,"store":true}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1,"placet":{"approvals":"chunk","on_busy":"reject"}}',
    ],
)
def test_the_same_meaning_has_the_same_fingerprint(same: bytes) -> None:
    assert print_of(same) == print_of(PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        rb'{"model":"n","messages":[{"role":"user","content":"hi"}],"temperature":1}',
        rb'{"model":"m","messages":[{"role":"user","content":"ho"}],"temperature":1}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":2}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}]}',
        rb'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1,"seed":1}',
        rb'{"model":"m","messages":[{"role":"system","content":"x"},{"role":"user","content":"hi"}],"temperature":1}',
        rb'{"model":"m","messages":[{"role":"assistant","content":"x"},{"role":"user","content":"hi"}],"temperature":1}',
        rb'{"model":"m","messages":[{"role":"user","content":["h","i"]}],"temperature":1}',
    ],
)
def test_another_meaning_has_another_fingerprint(other: bytes) -> None:
    assert print_of(other) != print_of(PLAIN)


def test_the_target_is_part_of_the_meaning() -> None:
    chat = parse(HI)
    prints = {
        fingerprint(kind, session, chat) for kind in ("chat", "runs") for session in (None, "", "a", "b")
    }
    assert len(prints) == 8


def test_in_a_named_session_the_bodys_history_means_nothing() -> None:
    short, long = parse(HI), parse(HI, {"role": "assistant", "content": "so"}, HI)
    assert short != long
    assert short.with_stored_history() == long.with_stored_history()
    assert short.with_stored_history().input.history is None


def test_the_fingerprint_is_the_same_for_ever() -> None:
    assert print_of(PLAIN, "s") == "38e35a8f571c7ae76536e7b7933e65b50a69bb1b29dcebc10f03a819395a0da4"


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
