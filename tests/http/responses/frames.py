"""A response without a server: events in, frames out."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import CLARIFY, ApprovalStatus
from placet.actors.protocol.conversation import ChatMessage, Part, Settings, TurnInput, TurnResult, Usage
from placet.actors.protocol.events import Outcome, Recorded
from placet.actors.protocol.filing import Filing
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus
from placet.actors.protocol.responses import ResponseRecord
from placet.http.dialect import Dialect
from placet.http.responses.stream import ResponseRenderer
from tests.helpers import Event, EventParser
from tests.store.build import asked

RUN_ID = "resp_" + "0" * 28
ENDS = ("response.completed", "response.failed", "response.cancelled", "response.incomplete")


def record(*, merged: bool = False, filing: Filing | None = None, **settings: Any) -> ResponseRecord:
    admission = AdmissionRecord(
        admission_id="a",
        session_id="s",
        principal="api",
        surface="responses",
        seq=1,
        status=AdmissionStatus.STARTED,
        outcome=None,
        generation=1,
        stopping=False,
        input=TurnInput(ChatMessage("user", (Part("text", "hi"),)), settings=Settings(**settings)),
        result=None,
        fingerprint="",
        created_at=7.5,
        updated_at=7.5,
    )
    return ResponseRecord(
        run_id=RUN_ID,
        filing=filing or Filing(),
        stored=True,
        merged=merged,
        first_seq=1,
        last_seq=9,
        admission=admission,
    )


def recorded(*events: e.Event) -> list[Recorded]:
    return [Recorded("s", seq, seq, 1.0, event) for seq, event in enumerate(events, start=1)]


def play(
    items: list[Recorded],
    dialect: Dialect = Dialect.EVENT,
    *,
    after: int = -1,
    of: ResponseRecord | None = None,
) -> bytes:
    """What a stream sends of these events."""
    renderer = ResponseRenderer(of or record(), dialect, after=after)
    sent = renderer.opening()
    for item in items:
        sent += renderer.render(item)
    return sent


def parsed(sent: bytes) -> list[Event]:
    parser = EventParser()
    events = parser.feed(sent)
    assert parser.is_whole
    return events


def played(*events: e.Event, dialect: Dialect = Dialect.EVENT, after: int = -1) -> list[Event]:
    return parsed(play(recorded(*events), dialect, after=after))


def numbers(events: list[Event]) -> list[int]:
    return [event.json["sequence_number"] for event in events if "sequence_number" in event.json]


def said(text: str) -> e.TextAppended:
    return e.TextAppended(admission_id="a", generation=1, text=text)


def thought(text: str) -> e.ThoughtAppended:
    return e.ThoughtAppended(admission_id="a", generation=1, text=text)


def restarted() -> e.AnswerRestarted:
    return e.AnswerRestarted(admission_id="a", generation=1)


def started(call_id: str = "c", preview: str = "ls", tool: str = "terminal") -> e.ToolStarted:
    return e.ToolStarted(
        admission_id="a", generation=1, step="t", call_id=call_id, tool=tool, preview=preview
    )


def ended(call_id: str = "c", result: Any = "out", *, failed: bool = False) -> e.ToolEnded:
    return e.ToolEnded(
        admission_id="a",
        generation=1,
        step="t",
        call_id=call_id,
        tool="terminal",
        failed=failed,
        duration_s=0.1,
        result=result,
    )


def resumed(generation: int = 2) -> e.AdmissionResumed:
    return e.AdmissionResumed(admission_id="a", generation=generation)


def expired(request_id: str = "r") -> e.ApprovalClosed:
    return e.ApprovalClosed(
        admission_id="a", request_id=request_id, status=ApprovalStatus.EXPIRED, cause="nobody answered"
    )


def asked_in_words(request_id: str = "q") -> e.ApprovalOpened:
    event = asked(request_id, "a", 1)
    return replace(event, prompt=replace(event.prompt, kind=CLARIFY, display="Which one?"))


def answered_in_words(request_id: str = "q") -> e.ApprovalClosed:
    return replace(expired(request_id), kind=CLARIFY, status=ApprovalStatus.APPROVED, answer="that", by="ann")


def lost() -> e.AdmissionLost:
    return e.AdmissionLost(admission_id="a", generation=1)


def settled(
    outcome: Outcome = Outcome.COMPLETED, code: str | None = None, text: str = ""
) -> e.AdmissionSettled:
    result = TurnResult(text, error_code=code, error=code and f"why: {code}", usage=Usage(3, 4))
    return e.AdmissionSettled(admission_id="a", generation=1, outcome=outcome, result=result)
