"""What a turn leaves: its text, its journal, its prompts."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.conversation import ChatMessage, Part
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionResumed,
    AnswerRestarted,
    ApprovalExpiring,
    ApprovalExtended,
    ApprovalGranted,
    Event,
    MessageKept,
    RunNamed,
    StepEnded,
    ThoughtAppended,
    ToolEnded,
    ToolProgressed,
    ToolStarted,
)
from placet.actors.protocol.records import JournalEntry
from placet.actors.store import IN_INBOX, IN_NEWS, CorruptTransition, Store
from placet.actors.store.queries_inbox import one_of
from tests.store.build import Scribe, asked, closed, decided, link, prompt, said, said_so_far, settled


def started(step: str, call_id: str = "c") -> ToolStarted:
    return ToolStarted(
        admission_id="a", generation=1, step=step, call_id=call_id, tool="terminal", preview="ls"
    )


def ended(step: str, call_id: str = "c", *, result: object = "out", failed: bool = False) -> ToolEnded:
    return ToolEnded(
        admission_id="a",
        generation=1,
        step=step,
        call_id=call_id,
        tool="terminal",
        failed=failed,
        duration_s=0.1,
        result=result,
    )


def entry(
    step: str, call_id: str | None, *, ended: bool = True, result: object = None, failed: bool = False
) -> JournalEntry:
    return JournalEntry(step=step, call_id=call_id, ended=ended, result=result, failed=failed)


async def journal_of(store: Store) -> tuple[JournalEntry, ...]:
    """The journal, whatever the positions at which its steps were started."""
    return tuple(msgspec.structs.replace(item, started=0) for item in await store.journal("a"))


async def test_the_text_so_far_is_that_of_the_last_attempt(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write(
        "s",
        said("a", 1, "one "),
        ThoughtAppended(admission_id="a", generation=1, text="hm"),
        said("a", 1, "two"),
    )
    assert await said_so_far(store, "a") == ("one two", "hm")
    await scribe.write("s", AnswerRestarted(admission_id="a", generation=1))
    assert await said_so_far(store, "a") == ("", "")
    await scribe.write("s", said("a", 1, "three"))
    assert await said_so_far(store, "a") == ("three", "")


async def test_a_kept_message_stands_before_the_last_which_says_only_the_rest(
    scribe: Scribe, store: Store
) -> None:
    await scribe.running()
    result = ChatMessage("tool", (Part("text", "x"),), tool_call_id="c")
    for number, message in enumerate((ChatMessage("assistant", (Part("text", "I look."),)), result)):
        kept = MessageKept(admission_id="a", generation=1, step=f"m{number}", message=message, said=7)
        await scribe.write("s", kept)
    assert await journal_of(store) == (entry("m0", None, result=7), entry("m1", None, result=7))
    end = settled("a", 1, text="I look.\n\nThere it is.")
    await scribe.write("s", replace(end, result=replace(end.result, kept=7)))
    assert [(message.role, message.text) for message in await store.transcript("s")] == [
        ("user", "hi"),
        ("assistant", "I look."),
        ("tool", "x"),
        ("assistant", "There it is."),
    ]


async def test_the_journal_tells_what_began_and_what_ended(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", StepEnded(admission_id="a", generation=1, step="model:1", result={"n": [1, 2]}))
    await scribe.write(
        "s", started("z"), ToolProgressed(admission_id="a", generation=1, call_id="c", text="...")
    )
    await scribe.write("s", ended("z", result=None, failed=True), started("b", "d"))
    assert await journal_of(store) == (
        entry("model:1", None, result={"n": [1, 2]}),
        entry("z", "c", failed=True),
        entry("b", "d", ended=False),
    )


async def test_a_tool_of_unknown_outcome_may_begin_again(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", started("z", "c1"))
    (first,) = await store.journal("a")
    await scribe.write("s", started("z", "c2"))
    (second,) = await store.journal("a")
    assert second.started > first.started, "each start is one of its own"
    await scribe.write("s", ended("z", "c2"))
    assert await journal_of(store) == (entry("z", "c2", result="out"),)


@pytest.mark.parametrize(
    "event",
    [
        started("done"),
        ended("done"),
        ended("never"),
        ended("open", "other"),
        StepEnded(admission_id="a", generation=1, step="done", result=1),
    ],
    ids=[
        "begin an ended step",
        "end it twice",
        "end what never began",
        "end another call",
        "record it again",
    ],
)
async def test_a_step_runs_once(scribe: Scribe, store: Store, event: Event) -> None:
    await scribe.running()
    await scribe.write("s", started("done"), ended("done"), started("open"))
    with pytest.raises(CorruptTransition):
        await scribe.write("s", event)
    assert len(await journal_of(store)) == 2


async def test_a_prompt_from_asking_to_answer(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", asked("r", "a", 1))
    record = await store.approval("r")
    assert record is not None
    assert (record.prompt, record.session_id, record.principal, record.generation) == (
        prompt("r", "a"),
        "s",
        "api",
        1,
    )
    assert (record.status, record.choice, record.decided_by, record.warned) == (
        ApprovalStatus.OPEN,
        None,
        None,
        False,
    )
    await scribe.write("s", ApprovalExpiring(admission_id="a", request_id="r", expires_at=9.0))
    await scribe.write("s", decided("r", "a", Choice.DENY), at=7.0)
    record = await store.approval("r")
    assert record is not None
    assert (
        record.status,
        record.choice,
        record.decided_by,
        record.decided_at,
        record.reason,
        record.warned,
    ) == (
        ApprovalStatus.DENIED,
        "deny",
        "alice",
        7.0,
        "fine",
        True,
    )


async def test_a_prompt_that_nobody_answers_is_not_denied(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", asked("r", "a", 1), closed("r", "a"), at=7.0)
    record = await store.approval("r")
    assert record is not None
    assert (record.status, record.choice, record.decided_by, record.decided_at, record.reason) == (
        ApprovalStatus.EXPIRED,
        None,
        None,
        7.0,
        "nobody answered",
    )


@pytest.mark.parametrize(
    "event",
    [decided("r", "a"), closed("r", "a"), ApprovalExpiring(admission_id="a", request_id="r", expires_at=1.0)],
)
async def test_a_prompt_ends_once(scribe: Scribe, event: Event) -> None:
    await scribe.running()
    await scribe.write("s", asked("r", "a", 1), closed("r", "a"))
    with pytest.raises(CorruptTransition):
        await scribe.write("s", event)


async def test_what_a_rule_grants_names_the_rule(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", ApprovalGranted(generation=1, prompt=prompt("r", "a"), rule_id="rule-1"), at=7.0)
    record = await store.approval("r")
    assert record is not None
    assert (record.status, record.choice, record.decided_by, record.decided_at, record.rule_id) == (
        ApprovalStatus.APPROVED,
        None,
        "rule:rule-1",
        7.0,
        "rule-1",
    )


async def test_the_inbox_is_read_in_pages_oldest_first(scribe: Scribe, store: Store) -> None:
    await scribe.running("s", "a")
    await scribe.running("t", "b")
    await scribe.write("s", asked("r3", "a", 1), asked("r1", "a", 1))
    await scribe.write("t", asked("r2", "b", 1), decided("r2", "b"), asked("r4", "b", 1))

    async def ids(
        status: ApprovalStatus | None, principal: str | None, after: str | None, limit: int
    ) -> tuple[list[str], bool]:
        page = await store.approvals(status=status, principal=principal, after=after, limit=limit)
        return [item.prompt.request_id for item in page.items], page.has_more

    assert await ids(ApprovalStatus.OPEN, None, None, 10) == (["r3", "r1", "r4"], False)
    assert await ids(ApprovalStatus.OPEN, "api", None, 2) == (["r3", "r1"], True)
    assert await ids(ApprovalStatus.OPEN, None, "r1", 2) == (["r4"], False)
    assert await ids(None, None, None, 10) == (["r3", "r1", "r2", "r4"], False)
    assert await ids(ApprovalStatus.OPEN, "bob", None, 10) == ([], False)


async def test_the_inbox_has_a_log_over_all_sessions(scribe: Scribe, store: Store) -> None:
    for stream, admission_id in (("s", "a"), ("t", "b")):
        await scribe.running(stream, admission_id)
        await scribe.write(
            stream, RunNamed(run_id=f"run_{admission_id}", admission_id=admission_id, surface="runs")
        )
    first = (await scribe.write("s", said("a", 1, "x"), asked("r1", "a", 1)))[1]
    second = (await scribe.write("t", asked("r2", "b", 1)))[0]
    await scribe.write(SERVER_STREAM, link("r1"))
    third = (await scribe.write("s", decided("r1", "a")))[0]
    found = await store.inbox(after=first.position, limit=10)
    assert [(item.recorded.position, item.recorded.event, item.run_id) for item in found] == [
        (second.position, second.event, "run_b"),
        (third.position, third.event, "run_a"),
    ]
    assert [item.prompts[0].status for item in await store.inbox(after=0, limit=2)] == [
        ApprovalStatus.APPROVED,
        ApprovalStatus.OPEN,
    ], "each prompt as it stands by now"
    snapshot = await store.inbox_snapshot("api")
    assert [(row.prompt.request_id, run_id) for row, run_id in snapshot.open] == [("r2", "run_b")]
    assert await store.inbox(after=snapshot.position, limit=10) == []
    assert (await store.inbox_snapshot("bob")).open == ()


async def test_a_resumed_turn_is_in_the_inbox_with_what_it_still_asks(scribe: Scribe, store: Store) -> None:
    await scribe.running("s", "a")
    await scribe.write("s", RunNamed(run_id="run_a", admission_id="a", surface="runs"))
    await scribe.write("s", asked("r1", "a", 1), asked("r2", "a", 1), decided("r1", "a"))
    resumed = (await scribe.write("s", AdmissionResumed(admission_id="a", generation=2)))[0]
    found = await store.inbox(after=resumed.position - 1, limit=10)
    assert [(row.prompt.request_id, row.generation) for row in found[0].prompts] == [("r2", 2)]


async def test_an_extended_prompt_ends_later_and_warns_again(scribe: Scribe, store: Store) -> None:
    await scribe.running("s", "a")
    await scribe.write("s", asked("r1", "a", 1))
    await scribe.write("s", ApprovalExpiring(admission_id="a", request_id="r1", expires_at=3601.0))
    extended = ApprovalExtended(admission_id="a", request_id="r1", expires_at=9000.0, by="alice")
    await scribe.write("s", extended)
    row = await store.approval("r1")
    assert row is not None
    assert (row.prompt, row.warned) == (replace(prompt("r1", "a"), expires_at=9000.0), False)
    await scribe.write("s", decided("r1", "a"))
    with pytest.raises(CorruptTransition):
        await scribe.write("s", extended)


def test_the_inbox_is_read_through_its_indexes(store: Store) -> None:
    conn = store._writer.group.conn
    inbox, news = one_of(IN_INBOX), one_of(IN_NEWS)
    plans = {
        "events_of_inbox": f"SELECT 1 FROM events WHERE ({inbox}) AND position > 5 ORDER BY position",
        "events_of_news": f"SELECT 1 FROM events WHERE ({news}) AND position > 5 ORDER BY position",
        "approvals_by_status": "SELECT 1 FROM approvals WHERE status = 'open' ORDER BY position",
    }
    for index, sql in plans.items():
        assert index in str(conn.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall())
