"""The envelope: what is a request, and how answers look."""

from __future__ import annotations

import json

import pytest

from placet.actors.protocol import errors
from placet.http.ws import rpc


@pytest.mark.parametrize("call_id", ["a", "", 0, -3, 1.5, None])
def test_a_request_has_an_id_and_is_answered_under_it(call_id: object) -> None:
    call = rpc.parse_call(json.dumps({"jsonrpc": "2.0", "id": call_id, "method": "m", "params": {"a": 1}}))
    assert call == rpc.Call(id=call_id, wants_answer=True, method="m", params={"a": 1})
    assert json.loads(rpc.result_frame(call.id, {"b": "é"})) == {
        "jsonrpc": "2.0",
        "id": call_id,
        "result": {"b": "é"},
    }


def test_without_an_id_nobody_waits() -> None:
    assert not rpc.parse_call('{"jsonrpc": "2.0", "method": "m"}').wants_answer


@pytest.mark.parametrize("params", ["", ', "params": null'])
def test_no_parameters_are_empty_ones(params: str) -> None:
    assert rpc.parse_call(f'{{"jsonrpc": "2.0", "id": 1, "method": "m"{params}}}').params == {}


@pytest.mark.parametrize(
    "junk",
    [
        "",
        b"",
        " ",
        "{",
        "nonsense",
        b"\xff\xfe",
        "\ud800",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        "[" * 1000,
        "[]",
        "7",
    ],
)
def test_what_is_no_json_object_is_a_parse_error(junk: str | bytes) -> None:
    with pytest.raises(rpc.Malformed) as caught:
        rpc.parse_call(junk)
    answer = json.loads(caught.value.frame)
    assert (answer["id"], answer["error"]["code"]) == (None, rpc.PARSE_ERROR)


@pytest.mark.parametrize(
    ("body", "call_id"),
    [
        ({"id": 1, "method": "m"}, 1),
        ({"jsonrpc": "1.0", "id": 1, "method": "m"}, 1),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "2.0", "id": "x", "method": 3}, "x"),
        ({"jsonrpc": "2.0", "id": True, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "m"}, None),
    ],
)
def test_an_object_that_is_no_request_is_told_so(body: dict[str, object], call_id: object) -> None:
    with pytest.raises(rpc.Malformed) as caught:
        rpc.parse_call(json.dumps(body))
    answer = json.loads(caught.value.frame)
    assert (answer["id"], answer["error"]["code"]) == (call_id, rpc.INVALID_REQUEST)


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (errors.NotFound("x", code="session_not_found"), 4001, "not_found"),
        (errors.NotAllowed("x"), 4001, "permission_denied"),
        (errors.Draining("x"), 4001, "runtime_draining"),
        (errors.Conflict("x", code="stale_generation"), 4001, "stale_generation"),
        (errors.InvalidInput("x"), 4001, "invalid_params"),
        (errors.StoreUnavailable("x"), 5001, "storage_unavailable"),
        (errors.AskTimedOut("x"), 4001, "session_unavailable"),
    ],
)
def test_a_refusal_says_its_reason_in_a_word(error: errors.PlacetError, code: int, reason: str) -> None:
    told = json.loads(rpc.error_frame(7, error))["error"]
    assert (told["code"], told["message"], told["data"]["reason"]) == (code, reason, reason)
    assert (told["data"]["code"], told["data"]["message"]) == (error.code, "x")


def test_a_refusal_carries_what_helps_to_go_on() -> None:
    error = errors.TooMany("full", code="queue_full", param="p", detail={"decision": 1}, retry_after_s=2.0)
    data = json.loads(rpc.error_frame(None, error))["error"]["data"]
    assert (data["param"], data["decision"], data["retry_after_s"]) == ("p", 1, 2.0)


def test_frames_are_ascii_and_one_line() -> None:
    frame = rpc.result_frame(1, "a\u2028b\n😀")
    assert frame.isascii()
    assert "\n" not in frame
    assert json.loads(frame)["result"] == "a\u2028b\n😀"
