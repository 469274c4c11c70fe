"""The tables hold nothing but what the log says: whatever happened, projecting it all again gives the same rows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionLost,
    AdmissionResumed,
    AnswerRestarted,
    ApprovalExpiring,
    ApprovalExtended,
    ApprovalGranted,
    Event,
    MessageKept,
    Outcome,
    RuleAdded,
    RuleRevoked,
    RunNamed,
    SessionChanged,
    SteeringReceived,
    SteeringTaken,
    StepEnded,
    StopRequested,
    ToolEnded,
    ToolStarted,
)
from placet.actors.protocol.limits import Limits
from placet.actors.store import Batch, CorruptTransition, PreconditionFailed, Store, StreamAppend
from placet.actors.store.codec import decode_lean
from placet.actors.store.opening import take_memory
from placet.actors.store.place import Place
from placet.actors.store.projections import project
from tests.store.build import (
    accepted,
    asked,
    claimed,
    closed,
    decided,
    link,
    opened,
    prompt,
    rule,
    said,
    settled,
    user,
)

TABLES = (
    "sessions",
    "session_admissions",
    "messages",
    "approvals",
    "decisions",
    "rules",
    "run_aliases",
    "idempotency_keys",
    "steps",
)

SERVER_EVENTS = [
    lambda n: RuleAdded(rule(f"rule-{n}")),
    lambda n: RuleRevoked(rule_id=f"rule-{n}", by="alice"),
    lambda n: link(f"r{n}"),
]


def session_event(kind: int, admission_id: str, generation: int, n: int) -> Event:
    """One of the things that may happen in a session; whether it fits is for the store to say."""
    ids: Any = {"admission_id": admission_id, "generation": generation}
    call: Any = {"step": f"step-{n}", "call_id": f"c{n}", "tool": "terminal"}
    request_id = f"r-{admission_id}-{n}"
    return [
        lambda: accepted(admission_id, key=f"k{n}" if n else None),
        lambda: claimed(admission_id, generation + 1),
        lambda: claimed(admission_id, generation + 1),
        lambda: AdmissionResumed(admission_id=admission_id, generation=generation + 1),
        lambda: AdmissionLost(**ids),
        lambda: StopRequested(by="alice", **ids),
        lambda: settled(admission_id, generation),
        lambda: settled(admission_id, None, outcome=Outcome.CANCELLED),
        lambda: RunNamed(run_id=f"run_{n}", admission_id=admission_id, surface="runs"),
        lambda: said(admission_id, generation, "x"),
        lambda: AnswerRestarted(**ids),
        lambda: ToolStarted(preview="ls", **call, **ids),
        lambda: ToolEnded(failed=False, duration_s=0.1, result=[n], **call, **ids),
        lambda: StepEnded(step=f"step-{n}", result={"n": n}, **ids),
        lambda: asked(request_id, admission_id, generation),
        lambda: ApprovalGranted(
            generation=generation, prompt=prompt(request_id, admission_id), rule_id="rule-1"
        ),
        lambda: ApprovalExpiring(admission_id=admission_id, request_id=request_id, expires_at=9.0),
        lambda: ApprovalExtended(
            admission_id=admission_id, request_id=request_id, expires_at=99.5, by="alice"
        ),
        lambda: decided(request_id, admission_id),
        lambda: closed(request_id, admission_id),
        lambda: SteeringReceived(text=f"word {n}", by="alice", **ids),
        lambda: SteeringTaken(step=f"steering::{n}", texts=("word 1",), **ids),
        lambda: SessionChanged(title=f"title {n}", pinned=bool(n), end_reason="done" if n else None),
        lambda: msgspec.structs.replace(
            closed(request_id, admission_id),
            status=ApprovalStatus.ANSWERED,
            kind="clarify",
            answer="left",
            by="alice",
        ),
        lambda: MessageKept(step=f"message-{n}", message=user(f"kept {n}"), said=n, **ids),
    ][kind]()


step = st.tuples(
    st.sampled_from(["s", "t"]),
    st.integers(0, 24),
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from([0, 0, 0, 0, 1]),
)
server_step = st.tuples(st.integers(0, 2), st.integers(0, 2))


def rows(conn: Any) -> dict[str, list[Any]]:
    return {table: conn.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}


def rebuilt(log: list[Any]) -> dict[str, list[Any]]:
    """The tables as the log alone makes them."""
    conn = take_memory().conn
    for row in log:
        position, stream, seq, _kind, _version, epoch, at, _admission_id, body = row
        conn.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        event = decode_lean(body)
        project(Place(conn, stream, seq, position, at, epoch, Limits().idempotency_after_s), event)
        if stream != SERVER_STREAM:
            conn.execute(
                "UPDATE sessions SET head_seq = ?, last_active = ? WHERE session_id = ?", (seq, at, stream)
            )
    found = rows(conn)
    conn.close()
    return found


async def play(steps: list[Any]) -> None:
    store = Store.inline()
    for stream in ("s", "t"):
        await store.append(Batch((StreamAppend(stream, (opened(),), 0),), 0.0))
    for number, item in enumerate(steps):
        snapshots = {stream: await store.session(stream) for stream in ("s", "t")}
        if len(item) == 2:
            appends = StreamAppend(SERVER_STREAM, (SERVER_EVENTS[item[0]](item[1]),), None)
        else:
            stream, kind, which, n, jitter = item
            snapshot = snapshots[stream]
            assert snapshot is not None
            event = session_event(kind, f"{stream}-{which}", snapshot.session.generation + jitter, n)
            appends = StreamAppend(stream, (event,), snapshot.session.head_seq)
        try:
            await store.append(Batch((appends,), float(number)))
        except (CorruptTransition, PreconditionFailed):
            continue
    conn = store._writer.group.conn
    assert rebuilt(conn.execute("SELECT * FROM events ORDER BY position").fetchall()) == rows(conn)
    assert await store.verify_chain() is None
    await store.close()


@pytest.mark.slow
@given(st.lists(st.one_of(step, step, step, server_step), max_size=60))
def test_projecting_the_log_again_gives_the_same_rows(steps: list[Any]) -> None:
    trio.run(play, steps)


def test_a_whole_life_is_rebuilt() -> None:
    life: list[Any] = [(0, 1), (2, 1)]
    life += [("s", kind, 0, 1, 0) for kind in (0, 8, 1, 9, 20, 21, 22, 11, 12, 14, 16, 17, 3, 18, 5, 13, 6)]
    life += [("t", kind, 0, 2, 0) for kind in (0, 1, 14, 23, 4, 6)]
    trio.run(play, life)
