"""How events look to a viewer that was not there from the beginning, or whose turn goes on under a new generation."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ALL_CHOICES, ApprovalStatus, Prompt
from placet.actors.protocol.events import Recorded
from placet.actors.protocol.records import ApprovalRecord
from placet.actors.store import Batch, Store, StreamAppend
from placet.http.ws.frames import EventLog

PROMPT = Prompt(
    request_id="p",
    admission_id="a",
    step="",
    tool="terminal",
    command="rm x",
    display="rm x",
    description="it deletes",
    pattern_key="",
    choices=ALL_CHOICES,
    rules={},
    rule_key="",
    digest="d",
    warnings=(),
    directory="/w",
    created_at=1.0,
    expires_at=None,
)
OPENED = Recorded("s", 5, 5, 1.0, e.ApprovalOpened(generation=1, prompt=PROMPT))
RESUMED = Recorded("s", 9, 9, 2.0, e.AdmissionResumed(admission_id="a", generation=2))


async def _log(head_seq: int, **standing: Any) -> EventLog:
    """Over a session whose prompt stands so at the cut; without a word it had not been asked."""
    store = Store.inline()
    await store.append(Batch((StreamAppend("s", (e.SessionOpened(principal="api"),), 0),), 1.0))
    snapshot = await store.session("s")
    assert snapshot is not None
    row = ApprovalRecord(
        prompt=PROMPT, session_id="s", principal="api", generation=1, status=ApprovalStatus.OPEN
    )
    asked = [msgspec.structs.replace(row, **standing)] if standing else []
    return EventLog(snapshot.session, asked, head_seq, {"a": "run_1"}, authority_epoch=3)


def _decoded(log: EventLog, item: Recorded) -> list[dict[str, Any]]:
    return [msgspec.json.decode(frame) for frame in log.render(item)]


async def test_a_prompt_waits_on_under_the_new_generation() -> None:
    log = await _log(0)
    [opened] = _decoded(log, OPENED)
    assert (opened["seq"], opened["payload"]["execution_generation"]) == (5, 1)
    again, resumed = _decoded(log, RESUMED)
    assert (again["type"], again["payload"]["execution_generation"]) == ("approval.request", 2)
    assert "seq" not in again
    assert (resumed["type"], resumed["seq"], resumed["execution_generation"]) == ("message.resumed", 9, 2)


async def test_a_prompt_of_the_past_is_shown_once_under_the_generation_that_counts() -> None:
    log = await _log(20, generation=2)
    [opened] = _decoded(log, OPENED)
    assert opened["payload"]["execution_generation"] == 2
    assert [frame["type"] for frame in _decoded(log, RESUMED)] == ["message.resumed"]


async def test_a_prompt_from_before_the_place_is_shown_where_its_turn_went_on() -> None:
    log = await _log(20, generation=2)
    again, _ = _decoded(log, RESUMED)
    assert again["payload"]["prompt_id"] == "p"
    assert again["payload"]["run_id"] == "run_1"


async def test_an_ended_prompt_is_not_shown_again() -> None:
    log = await _log(0)
    log.render(OPENED)
    closed = e.ApprovalClosed(
        admission_id="a", request_id="p", status=ApprovalStatus.CANCELLED, cause="stopped"
    )
    [settled] = _decoded(log, Recorded("s", 6, 6, 1.5, closed))
    assert (settled["type"], settled["payload"]["status"]) == ("approval.settled", "cancelled")
    assert [frame["type"] for frame in _decoded(log, RESUMED)] == ["message.resumed"]


async def test_a_delta_is_encoded_once_for_all_viewers() -> None:
    delta = Recorded("s", 7, 7, 1.0, e.TextAppended(admission_id="a", generation=1, text="hi"))
    [first] = (await _log(0)).render(delta)
    [second] = (await _log(0)).render(delta)
    assert first is second


async def test_what_is_no_business_of_viewers_has_no_frame() -> None:
    log = await _log(0)
    for event in (
        e.RunNamed(run_id="run_2", admission_id="a", surface="runs"),
        e.StepEnded(admission_id="a", generation=1, step="x", result="secret"),
    ):
        assert log.render(Recorded("s", 8, 8, 1.0, event)) == []
