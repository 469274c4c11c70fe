"""From events to frames: which frames each kind of event makes, and what they carry."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.errors import Draining
from placet.actors.protocol.events import Outcome
from placet.http.dialect import Dialect
from placet.http.responses.items import OUTPUT_SHOWN
from placet.http.responses.stream import ResponseRenderer
from tests.helpers import Event
from tests.http.responses.frames import (
    RUN_ID,
    answered_in_words,
    asked_in_words,
    ended,
    expired,
    lost,
    numbers,
    parsed,
    play,
    played,
    record,
    recorded,
    restarted,
    resumed,
    said,
    settled,
    started,
    thought,
)
from tests.store.build import asked, decided

OPENING = ["response.created", "response.in_progress"]
ADDED, DONE = "response.output_item.added", "response.output_item.done"
MESSAGE_BEGINS = [ADDED, "response.content_part.added"]
MESSAGE_ENDS = ["response.output_text.done", "response.content_part.done", DONE]
DELTA = "response.output_text.delta"
SUMMARY = "response.reasoning_summary"
THOUGHT = [
    ADDED,
    f"{SUMMARY}_part.added",
    f"{SUMMARY}_text.delta",
    f"{SUMMARY}_text.done",
    f"{SUMMARY}_part.done",
    DONE,
]
ARGUMENTS = "response.function_call_arguments"
CALL = [ADDED, f"{ARGUMENTS}.delta", f"{ARGUMENTS}.done", DONE]
ITEM = [ADDED, DONE]
END = ["response.completed"]
MESSAGE = [*MESSAGE_BEGINS, DELTA, *MESSAGE_ENDS]
PROMPT = asked("r", "a", 1)

TABLE: dict[str, tuple[list[e.Event], list[str]]] = {
    "nothing": ([settled()], END),
    "text": ([said("a"), said("b"), settled()], [*MESSAGE_BEGINS, DELTA, DELTA, *MESSAGE_ENDS, *END]),
    "thought": ([thought("hm"), settled()], [*THOUGHT, *END]),
    "thought then text": ([thought("hm"), said("a"), settled()], [*THOUGHT, *MESSAGE, *END]),
    "a tool": ([started(), ended(), settled()], [*CALL, *ITEM, *END]),
    "a tool amid text": (
        [said("a"), started(), ended(), said("b"), settled()],
        [*MESSAGE, *CALL, *ITEM, *MESSAGE, *END],
    ),
    "an internal tool": ([started(tool="_memory"), ended(), settled()], END),
    "an end without a beginning": ([ended(), settled()], END),
    "a tool begun again": (
        [started(), resumed(), started(), ended(), settled()],
        [*CALL, OPENING[1], *ITEM, *END],
    ),
    "an answer that starts over": (
        [said("a"), restarted(), said("b"), settled()],
        [*MESSAGE_BEGINS, DELTA, "message.restarted", *MESSAGE_ENDS, *MESSAGE, *END],
    ),
    "a prompt": (
        [PROMPT, decided("r", "a"), settled()],
        ["approval.request", *ITEM, "approval.responded", *ITEM, *END],
    ),
    "a prompt that expires": (
        [PROMPT, expired(), settled()],
        ["approval.request", *ITEM, "approval.settled", *ITEM, *END],
    ),
    "a prompt over a restart": (
        [PROMPT, resumed(), decided("r", "a"), settled()],
        [
            "approval.request",
            *ITEM,
            "approval.request",
            OPENING[1],
            "approval.responded",
            *ITEM,
            *END,
        ],
    ),
    "a question": (
        [asked_in_words(), answered_in_words(), settled()],
        ["clarify.request", *ITEM, "clarify.settled", *END],
    ),
    "a failure": ([said("a"), settled(Outcome.FAILED, "agent_failed")], [*MESSAGE, "response.failed"]),
    "a stop": ([settled(Outcome.CANCELLED, "run_cancelled")], ["response.cancelled"]),
    "an interruption": ([settled(Outcome.INTERRUPTED, "owner_lost")], ["response.incomplete"]),
    "a lost turn": ([lost(), settled(Outcome.INTERRUPTED, "owner_lost")], ["response.incomplete"]),
}


@pytest.mark.parametrize("case", TABLE)
def test_each_sequence_of_events_makes_its_frames(case: str) -> None:
    events, names = TABLE[case]
    frames = played(*events)
    assert [frame.name for frame in frames] == [*OPENING, *names]
    assert all(frame.json["type"] == frame.name for frame in frames)
    assert numbers(frames) == list(range(len(numbers(frames))))
    assert not any(frame.id for frame in frames)


def last(*events: e.Event, dialect: Dialect = Dialect.EVENT) -> dict[str, Any]:
    """The response in the last frame."""
    found: dict[str, Any] = played(*events, dialect=dialect)[-1].json["response"]
    return found


def of(frames: list[Event], name: str) -> list[Any]:
    return [frame.json for frame in frames if frame.name == name]


def test_a_message_grows_from_nothing_to_its_whole_text() -> None:
    frames = played(said("a"), said("b"), settled())
    added, done = of(frames, ADDED)[0]["item"], of(frames, DONE)[0]["item"]
    assert (added["content"], added["status"]) == ([], "in_progress")
    part = {"type": "output_text", "text": "ab", "annotations": [], "logprobs": []}
    assert (done["content"], done["status"]) == ([part], "completed")
    deltas = of(frames, DELTA)
    assert [delta["delta"] for delta in deltas] == ["a", "b"]
    assert all(delta["logprobs"] == [] and delta["item_id"] == done["id"] for delta in deltas)
    assert frames[-1].json["response"]["output"] == [done]


def test_the_object_says_how_it_ended() -> None:
    completed = last(said("a"), settled())
    assert (completed["id"], completed["status"], completed["created_at"]) == (RUN_ID, "completed", 7)
    usage = completed["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (3, 4, 7)
    failed = last(settled(Outcome.FAILED, "agent_failed"))
    assert failed["error"] == {"code": "agent_failed", "message": "why: agent_failed"}
    stopped = last(settled(Outcome.CANCELLED, "run_cancelled"))
    assert (stopped["status"], stopped["error"]) == ("cancelled", None)
    unknown = last(said("half"), lost())
    assert (unknown["status"], unknown["incomplete_details"]["reason"]) == ("incomplete", "unknown_execution")
    assert unknown["output"][0]["status"] == "incomplete"


def test_a_tool_is_a_call_and_its_output() -> None:
    result = {"exit_code": 0, "output": "x" * 2000}
    frames = played(started(preview="ls -l"), ended(result=result), settled())
    call, output = (frame["item"] for frame in of(frames, DONE))
    assert (call["type"], call["name"], call["call_id"]) == ("function_call", "terminal", "c")
    assert call["arguments"] == '{"command":"ls -l"}'
    assert (output["type"], output["call_id"]) == ("function_call_output", "c")
    (part,) = output["output"]
    assert (part["type"], len(part["text"])) == ("input_text", 2000 + len('{"exit_code":0,"output":""}'))
    repeated = frames[-1].json["response"]["output"][1]["output"][0]["text"]
    assert repeated.startswith(part["text"][:OUTPUT_SHOWN])
    assert "more characters" in repeated
    assert len(repeated) < OUTPUT_SHOWN + 50


@pytest.mark.parametrize(
    ("preview", "arguments"),
    [
        ('{"path":"a"}', '{"path":"a"}'),
        ("ls", '{"command":"ls"}'),
        ('{"path":"a … (9 more characters)', '{"command":"{\\"path\\":\\"a … (9 more characters)"}'),
        ("[1]", '{"command":"[1]"}'),
    ],
)
def test_arguments_are_always_an_object(preview: str, arguments: str) -> None:
    assert of(played(started(preview=preview)), DONE)[0]["item"]["arguments"] == arguments


def test_a_call_id_that_a_model_uses_again_is_told_apart() -> None:
    frames = played(started(), ended(), started(), ended(), settled())
    calls = [frame["item"]["call_id"] for frame in of(frames, DONE)]
    assert calls[0] == calls[1] == "c"
    assert calls[2] == calls[3] != "c"


def test_what_an_agent_took_back_is_streamed_and_is_no_output() -> None:
    frames = played(said("wrong"), started(), restarted(), said("right"), settled())
    output = frames[-1].json["response"]["output"]
    assert [item["type"] for item in output] == ["function_call", "message"]
    assert output[1]["content"][0]["text"] == "right"


def test_a_prompt_is_an_item_and_a_named_event_for_those_who_read_them() -> None:
    events = [PROMPT, decided("r", "a", Choice.DENY), settled()]
    frames = played(*events)
    shown = of(frames, "approval.request")[0]
    assert (shown["run_id"], shown["request_id"], shown["command"]) == (RUN_ID, "r", "rm -rf build")
    assert shown["choices"] == ["once", "session", "always", "deny"]
    request, response = (frame["item"] for frame in of(frames, DONE))
    assert (request["type"], request["server_label"], request["name"]) == (
        "mcp_approval_request",
        "placet",
        "terminal",
    )
    assert {**request["placet"]["approval"], "type": "approval.request"} == shown
    assert (response["type"], response["approval_request_id"]) == ("mcp_approval_response", request["id"])
    assert (response["approve"], response["placet"]["choice"]) == (False, "deny")
    assert "sequence_number" not in shown


def test_a_question_in_words_is_a_thought_that_says_where_to_answer() -> None:
    frames = played(asked_in_words(), answered_in_words(), settled(), dialect=Dialect.CHUNK)
    (item,) = frames[-1].json["response"]["output"]
    assert item["type"] == "reasoning"
    assert "Which one?" in item["summary"][0]["text"]
    assert f"/v1/runs/{RUN_ID}/clarify" in item["summary"][0]["text"]
    assert item["placet"]["clarify"]["request_id"] == "q"


def test_expired_is_not_approved_and_says_that_nobody_chose() -> None:
    item = of(played(PROMPT, expired(), settled()), DONE)[1]["item"]
    assert (item["approve"], item["placet"]["status"], item["placet"]["choice"]) == (False, "expired", None)


def test_the_item_alone_is_for_clients_that_parse_every_line() -> None:
    events = [said("a"), PROMPT, restarted(), decided("r", "a"), settled()]
    named, plain = (played(*events, dialect=dialect) for dialect in (Dialect.EVENT, Dialect.CHUNK))
    assert plain == [frame for frame in named if frame.name.startswith("response.")]


def test_a_client_that_wants_no_prompts_sees_none() -> None:
    events = [said("a"), PROMPT, resumed(), decided("r", "a"), settled()]
    frames = played(*events, dialect=Dialect.NONE)
    assert [frame.name for frame in frames] == [
        *OPENING,
        *MESSAGE_BEGINS,
        DELTA,
        OPENING[1],
        *MESSAGE_ENDS,
        *END,
    ]
    assert numbers(frames) == list(range(len(frames)))


def test_after_a_restart_the_prompt_is_shown_with_the_generation_that_may_be_decided() -> None:
    frames = played(PROMPT, resumed(2))
    assert [shown["execution_generation"] for shown in of(frames, "approval.request")] == [1, 2]
    assert frames[-1].json["placet"]["approvals"][0]["execution_generation"] == 2


def test_a_server_that_stops_says_so_without_an_end_and_without_a_new_number() -> None:
    renderer = ResponseRenderer(record(), Dialect.EVENT)
    sent = renderer.opening() + renderer.render(recorded(said("a"))[0])
    number = numbers(parsed(sent))[-1]
    (frame,) = parsed(renderer.failed(Draining("later")))
    assert (frame.name, frame.json["type"], frame.json["code"]) == ("error", "error", "gateway_draining")
    assert (frame.json["sequence_number"], renderer.done) == (number, True)
    # A top-level `error` would be raised by the official client as if the response had failed.
    assert "error" not in frame.json


def test_what_was_merged_is_not_resumed_in_pieces() -> None:
    items = recorded(said("all of it"), settled())
    (frame,) = parsed(play(items, after=40, of=record(merged=True)))
    assert (frame.name, frame.json["sequence_number"]) == ("response.completed", 41)
    whole = parsed(play(items, of=record(merged=True)))
    assert numbers(whole) == list(range(len(whole)))


def test_pieces_of_text_are_written_once_for_all_who_watch() -> None:
    items = recorded(said("a"), thought("b"), settled())
    first = play(items)
    assert set(items[0].encoded) == set(items[1].encoded) == {"response event"}
    items[0].encoded["response event"] += b": shared\n\n"
    assert play(items) == first.replace(
        b'"delta":"a","logprobs":[]}\n\n', b'"delta":"a","logprobs":[]}\n\n: shared\n\n'
    )
