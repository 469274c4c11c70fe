"""Settings that are honoured, refused, ignored."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.protocol.conversation import Settings
from tests.http.edge.requests import HI, parse, refusal


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
