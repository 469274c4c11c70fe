"""When two requests are one."""

from __future__ import annotations

import pytest

from placet.http.chat_request import fingerprint
from placet.http.strict_json import parse_object
from tests.http.edge.requests import HI, parse, parse_chat


def print_of(raw: bytes, session_id: str | None = None) -> str:
    return fingerprint("chat", session_id, parse_chat(parse_object(raw)))


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
