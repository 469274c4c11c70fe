"""What events do to the ledger, and which they refuse to follow."""

from __future__ import annotations

import apsw
import pytest

from placet.actors.protocol import events as e
from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.events import (
    AdmissionLost,
    AdmissionResumed,
    Event,
    Outcome,
    RunNamed,
    StopRequested,
)
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus
from placet.actors.store import CorruptTransition, Store
from placet.actors.store.projections import PROJECTIONS
from tests.store.build import Scribe, accepted, asked, claimed, decided, opened, said, settled, user


async def admission(store: Store, admission_id: str = "a") -> AdmissionRecord:
    record = await store.admission(admission_id)
    assert record is not None
    return record


def test_every_event_has_a_projection() -> None:
    assert set(PROJECTIONS) == set(e.SessionEvent.__args__ + e.ServerEvent.__args__)


async def test_an_admission_from_its_acceptance_to_its_end(scribe: Scribe, store: Store) -> None:
    recorded = await scribe.write("s", opened(), accepted("a", text="hello"), at=5.0)
    record = await admission(store)
    assert record == AdmissionRecord(
        admission_id="a",
        session_id="s",
        principal="api",
        surface="chat",
        seq=recorded[1].position,
        status=AdmissionStatus.QUEUED,
        outcome=None,
        generation=None,
        stopping=False,
        input=accepted("a", text="hello").input,
        result=None,
        fingerprint="print-hello",
        created_at=5.0,
        updated_at=5.0,
    )
    await scribe.write("s", claimed("a", 1), at=6.0)
    record = await admission(store)
    assert (record.status, record.generation, record.updated_at) == (AdmissionStatus.STARTED, 1, 6.0)
    await scribe.write("s", StopRequested(admission_id="a", generation=1, by="alice"), at=7.0)
    assert (await admission(store)).stopping
    await scribe.write("s", settled("a", 1, text="bye"), at=8.0)
    record = await admission(store)
    assert (record.status, record.outcome, record.result) == (
        AdmissionStatus.TERMINAL,
        Outcome.COMPLETED,
        settled("a", 1, text="bye").result,
    )
    assert (record.created_at, record.updated_at) == (5.0, 8.0)


async def test_the_session_row_follows(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened(principal="bob"), accepted("a"), at=5.0)
    await scribe.write("s", claimed("a", 1), said("a", 1, "x"), settled("a", 1), at=9.0)
    snapshot = await store.session("s")
    assert snapshot is not None
    session = snapshot.session
    assert (session.principal, session.head_seq, session.generation, session.revision) == ("bob", 5, 1, 1)
    assert (session.created_at, session.last_active, snapshot.admissions) == (5.0, 9.0, ())


async def test_a_snapshot_holds_what_is_unsettled_in_queue_order_with_its_prompts(
    scribe: Scribe, store: Store
) -> None:
    await scribe.write(
        "s", opened(), accepted("done"), accepted("b"), accepted("a"), claimed("done", 1), settled("done", 1)
    )
    await scribe.write("s", claimed("b", 2), asked("r1", "b", 2), decided("r1", "b"), asked("r2", "b", 2))
    snapshot = await store.session("s")
    assert snapshot is not None
    assert [item.admission_id for item in snapshot.admissions] == ["b", "a"]
    assert [item.prompt.request_id for item in snapshot.approvals] == ["r1", "r2"]
    assert await store.unsettled() == ["s"]


async def test_resuming_raises_the_generation_of_the_row_and_of_its_open_prompts(
    scribe: Scribe, store: Store
) -> None:
    await scribe.running()
    await scribe.write("s", asked("r1", "a", 1), asked("r2", "a", 1), decided("r1", "a"))
    await scribe.write("s", AdmissionResumed(admission_id="a", generation=2))
    assert (await admission(store)).generation == 2
    assert [item.generation for item in await store.approvals_of("a")] == [1, 2]
    with pytest.raises(CorruptTransition):
        await scribe.write("s", said("a", 1, "from the old generation"))


async def test_every_public_id_resolves(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", RunNamed(run_id="chatcmpl-1", admission_id="a", surface="chat"))
    await scribe.write("s", asked("r", "a", 1), settled("a", 1))
    await scribe.write("s", RunNamed(run_id="run_2", admission_id="a", surface="runs"), at=2.0)
    for run_id, surface in (("chatcmpl-1", "chat"), ("run_2", "runs")):
        run = await store.run(run_id)
        assert run is not None
        assert (run.surface, run.admission.admission_id, len(run.approvals)) == (surface, "a", 1)
    assert await store.run("run_never") is None
    assert await store.first_runs(("a", "never")) == {"a": "chatcmpl-1"}


async def test_a_key_names_its_admission_until_a_day_after_the_end(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened(), accepted("a", text="hello", key="k"))
    found = await store.key("api", "chat", "k", now=10.0**9)
    assert found is not None
    assert (found.admission_id, found.session_id, found.fingerprint) == ("a", "s", "print-hello")
    await scribe.write("s", settled("a", None, outcome=Outcome.CANCELLED), at=100.0)
    assert await store.key("api", "chat", "k", now=100.0 + 86399) is not None
    assert await store.key("api", "chat", "k", now=100.0 + 86400) is None
    assert await store.admission("a") is not None


REFUSED: list[tuple[str, Event]] = [
    ("claim of the unknown", claimed("never", 2)),
    ("second start in a session", claimed("queued", 2)),
    ("generation used before", claimed("queued", 1)),
    ("claim of the started", claimed("started", 2)),
    ("settling under another generation", settled("started", 2)),
    ("settling the started as if it were queued", settled("started", None)),
    ("losing under another generation", AdmissionLost(admission_id="started", generation=2)),
    ("losing the queued", AdmissionLost(admission_id="queued", generation=1)),
    ("resuming the queued", AdmissionResumed(admission_id="queued", generation=2)),
    ("stopping the queued", StopRequested(admission_id="queued", generation=1, by="alice")),
    ("settling the terminal again", settled("terminal", None)),
    ("claiming the terminal", claimed("terminal", 2)),
    ("output of the queued", said("queued", 1, "x")),
    ("a prompt of the queued", asked("r9", "queued", 1)),
    ("an id given out twice", RunNamed(run_id="run_1", admission_id="started", surface="chat")),
    ("an id for nothing", RunNamed(run_id="run_9", admission_id="never", surface="chat")),
    ("an admission twice", accepted("queued")),
    ("a prompt twice", asked("r1", "started", 1)),
    ("a second answer", decided("r1", "started")),
    ("an answer through another admission", decided("r2", "queued")),
]


@pytest.mark.parametrize("event", [event for _, event in REFUSED], ids=[why for why, _ in REFUSED])
async def test_an_event_that_does_not_fit_changes_nothing(scribe: Scribe, store: Store, event: Event) -> None:
    await scribe.write("s", opened(), accepted("terminal"), accepted("started"), accepted("queued"))
    await scribe.write("s", settled("terminal", None, outcome=Outcome.CANCELLED), claimed("started", 1))
    await scribe.write("s", RunNamed(run_id="run_1", admission_id="started", surface="chat"))
    await scribe.write("s", asked("r1", "started", 1), asked("r2", "started", 1), decided("r1", "started"))
    before = _contents(store)
    with pytest.raises(CorruptTransition):
        await scribe.write("s", event)
    assert _contents(store) == before


def _contents(store: Store) -> list[object]:
    conn = store._writer.group.conn
    tables = ("events", "sessions", "session_admissions", "approvals", "run_aliases", "messages")
    return [conn.execute(f"SELECT * FROM {table}").fetchall() for table in tables]


async def test_events_of_one_session_do_not_touch_another(scribe: Scribe) -> None:
    await scribe.running("s", "a")
    await scribe.write("t", opened(), accepted("b"))
    for event in (
        claimed("a", 9),
        settled("a", 1),
        said("a", 1, "x"),
        AdmissionLost(admission_id="a", generation=1),
    ):
        with pytest.raises(CorruptTransition):
            await scribe.write("t", event)


async def test_the_table_itself_keeps_a_terminal_row_as_it_is(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", settled("a", 1))
    conn = store._writer.group.conn
    for change in (
        "status = 'queued', outcome = NULL, generation = NULL",
        "result_json = '{}'",
        "outcome = 'failed'",
    ):
        with pytest.raises(apsw.ConstraintError, match="terminal admission never changes"):
            conn.execute(f"UPDATE session_admissions SET {change}")


async def test_the_table_itself_allows_one_started_row_per_session(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", accepted("b"))
    with pytest.raises(apsw.ConstraintError, match="UNIQUE"):
        store._writer.group.conn.execute("UPDATE session_admissions SET status = 'started'")


def test_the_ledger_has_the_columns_that_were_agreed(store: Store) -> None:
    columns = {row[1] for row in store._writer.group.conn.execute("PRAGMA table_info(session_admissions)")}
    assert columns >= {
        "seq",
        "admission_id",
        "request_id",
        "principal_id",
        "target_session_id",
        "lineage_json",
        "payload_json",
        "payload_digest",
        "intent",
        "status",
        "outcome",
        "owner_epoch",
        "generation",
    }


async def history(store: Store, admission_id: str) -> tuple[ChatMessage, ...]:
    past = await store.turn_past(admission_id, resumed=False)
    assert past is not None
    return past.history


async def test_history_is_what_was_settled_before(scribe: Scribe, store: Store) -> None:
    await scribe.write(
        "s", opened(), accepted("a", text="one"), accepted("b", text="two"), accepted("c", text="withdrawn")
    )
    await scribe.write(
        "s", claimed("a", 1), settled("a", 1, text="1"), settled("c", None, outcome=Outcome.CANCELLED)
    )
    await scribe.write("s", claimed("b", 2))
    assert [item.text for item in await history(store, "b")] == ["one", "1"]
    await scribe.write("s", settled("b", 2, text="half", outcome=Outcome.FAILED, error="the model went away"))
    await scribe.write("s", accepted("d"))
    later = await history(store, "d")
    assert later[2] == user("two")
    assert later[3].text == "half\n[This turn failed: the model went away]"
