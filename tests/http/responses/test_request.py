"""The body of a request for a response."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.datastructures import Headers

from placet.actors.protocol.errors import InvalidInput
from placet.http.requests.declared import read
from placet.http.responses.request import AskedResponse, ResponseRequest, response_of


def parse(**fields: Any) -> AskedResponse:
    return response_of(read(ResponseRequest, {"input": "hi", **fields}), Headers())


def test_the_settings_reach_the_model_in_their_usual_words() -> None:
    schema = {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": True}
    settings = parse(
        model="m",
        temperature=1,
        max_output_tokens=9,
        max_tokens=7,
        reasoning={"effort": "low"},
        text={"format": schema},
        metadata={"a": "b"},
    ).chat.input.settings
    assert (settings.model, settings.temperature, settings.metadata) == ("m", 1.0, {"a": "b"})
    assert (settings.max_completion_tokens, settings.max_tokens) == (9, None)
    assert settings.reasoning_effort == "low"
    nested = {"name": "n", "schema": {"type": "object"}, "strict": True}
    assert settings.response_format == {"type": "json_schema", "json_schema": nested}
    assert parse(text={"format": {"type": "text"}}).chat.input.settings.response_format == {"type": "text"}


def test_defaults() -> None:
    asked = parse()
    assert (asked.stored, asked.background, asked.truncates, asked.chat.stream) == (True, False, False, False)
    assert (asked.previous, asked.conversation, asked.instructions) == (None, None, None)


def test_a_history_may_come_beside_the_input_and_be_truncated() -> None:
    earlier = [{"role": "user", "content": str(number)} for number in range(150)]
    whole = parse(conversation_history=earlier, input=["b", "hi"])
    assert whole.brings_history
    assert [message.text for message in whole.chat.input.history or ()] == [*map(str, range(150)), "b"]
    cut = parse(conversation_history=earlier, truncation="auto").chat.input.history or ()
    assert (len(cut), cut[-1].text) == (100, "149")


def test_a_conversation_may_be_an_object() -> None:
    assert parse(conversation={"id": "c"}).conversation == parse(conversation="c").conversation == "c"


def test_the_fingerprint_is_the_meaning() -> None:
    meant = parse(instructions="x").fingerprint(None)
    served = parse(
        instructions="x", stream=True, background=True, placet={"approvals": "none"}, include=["y"]
    )
    assert served.fingerprint(None) == meant
    others = [
        parse(instructions="y"),
        parse(),
        parse(instructions="x", store=False),
        parse(instructions="x", truncation="auto"),
        parse(instructions="x", previous_response_id="p"),
        parse(instructions="x", conversation="p"),
        parse(instructions="x", conversation_history=[]),
        parse(instructions="x", input=["a", "hi"]),
    ]
    assert len({meant, *(other.fingerprint(None) for other in others)}) == len(others) + 1
    assert parse(instructions="x").fingerprint("s") != meant


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"previous_response_id": "p", "conversation": "c"}, "conversation"),
        ({"previous_response_id": 1}, "previous_response_id"),
        ({"conversation": {"id": 1}}, "conversation.id"),
        ({"conversation": ["c"]}, "conversation"),
        ({"conversation": ""}, "conversation"),
        ({"background": True, "store": False}, "store"),
        ({"store": "yes"}, "store"),
        ({"stream": 1}, "stream"),
        ({"truncation": "half"}, "truncation"),
        ({"instructions": ["x"]}, "instructions"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"text": {"format": "text"}}, "text.format"),
        ({"reasoning": "low"}, "reasoning"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"placet": {"unknown": 1}}, "placet"),
        ({"conversation_history": "x"}, "conversation_history"),
        ({"conversation_history": [{"role": "user"}]}, "conversation_history[0].content"),
    ],
)
def test_what_is_refused_names_the_field(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(**fields)
    assert caught.value.param == param
