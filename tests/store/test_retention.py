"""What is thrown away, and above all what is not."""

from __future__ import annotations

import pytest

from placet.actors.protocol.approvals import RuleScope
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput
from placet.actors.protocol.errors import Conflict
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionAccepted,
    AdmissionLost,
    AnswerRestarted,
    Outcome,
    RuleAdded,
    RuleRevoked,
    RunNamed,
    SessionChanged,
    ThoughtAppended,
)
from placet.actors.protocol.limits import Limits
from placet.actors.store import SessionFilter, Store, TidyReport
from placet.actors.store.retention import CHUNK
from tests.store.build import (
    Scribe,
    accepted,
    asked,
    claimed,
    decided,
    link,
    opened,
    rule,
    said,
    said_so_far,
    settled,
)

DAY_S = 86_400.0
LIMITS = Limits()


async def test_an_ephemeral_session_goes_a_day_after_its_end_with_all_that_was_its_own(
    scribe: Scribe, store: Store
) -> None:
    image = ChatMessage("user", (Part("image", url="data:," + "x" * 9000),))
    event = AdmissionAccepted(
        admission_id="a", principal="api", surface="chat", input=TurnInput(image), key="k"
    )
    await scribe.write(
        "s", opened(ephemeral=True), event, RunNamed(run_id="run_1", admission_id="a", surface="runs")
    )
    await scribe.write("s", claimed("a", 1), asked("r", "a", 1), decided("r", "a"), said("a", 1, "x"))
    await scribe.write(
        SERVER_STREAM, link("r"), RuleAdded(rule("mine", scope=RuleScope.SESSION)), RuleAdded(rule("ever"))
    )
    await scribe.write("s", settled("a", 1), at=1000.0)

    assert (await store.tidy(now=1000.0 + DAY_S, limits=LIMITS)).sessions == 0
    report = await store.tidy(now=1001.0 + DAY_S, limits=LIMITS)
    assert (report.sessions, report.blobs) == (1, 1)
    assert await store.session("s") is None
    assert await store.run("run_1") is None
    assert await store.approval("r") is None
    conn = store._writer.group.conn
    for table in (
        "sessions",
        "session_admissions",
        "messages",
        "approvals",
        "run_aliases",
        "idempotency_keys",
        "blobs",
        "blob_uses",
    ):
        assert conn.execute(f"SELECT count(*) FROM {table}").get == 0
    assert await store.events("s", after=0, limit=10) == []
    # Decisions are never deleted, and a session's rule must not come back to life with a session of the same id.
    assert len(await store.decisions(after=0, limit=10)) == 1
    assert await store.verify_chain() is None
    assert [item.rule_id for item in (await store.rules(principal=None, after=None, limit=9)).items] == [
        "ever"
    ]
    assert (await store.events(SERVER_STREAM, after=0, limit=10))[-1].event == RuleRevoked(
        rule_id="mine", by="placet"
    )


@pytest.mark.parametrize("unsettled", ["queued", "started", "unknown"])
async def test_what_is_not_settled_stays(scribe: Scribe, store: Store, unsettled: str) -> None:
    await scribe.write("s", opened(ephemeral=True), accepted("a"))
    if unsettled != "queued":
        await scribe.write("s", claimed("a", 1))
    if unsettled == "unknown":
        await scribe.write("s", AdmissionLost(admission_id="a", generation=1))
    assert await store.tidy(now=10**9, limits=LIMITS) == TidyReport()
    with pytest.raises(Conflict) as caught:
        await store.delete_session("s", now=10**9)
    assert caught.value.code == "session_active_turn"
    assert await store.unsettled() == ["s"]


async def test_a_named_session_stays_until_it_is_deleted(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened(), accepted("a", key="k"), claimed("a", 1), settled("a", 1))
    assert await store.tidy(now=10**9, limits=LIMITS) == TidyReport(keys=1, merged=1)
    assert await store.admission("a") is not None
    assert await store.delete_session("s", now=10**9)
    assert await store.session("s") is None
    assert not await store.delete_session("s", now=10**9)


async def test_many_are_tidied_in_small_writes(scribe: Scribe, store: Store) -> None:
    for number in range(CHUNK + 3):
        await scribe.write(f"s{number}", opened(ephemeral=True), accepted(f"a{number}", key=f"k{number}"))
        await scribe.write(f"s{number}", settled(f"a{number}", None, outcome=Outcome.CANCELLED))
    assert await store.tidy(now=10**9, limits=LIMITS) == TidyReport(keys=CHUNK + 3, sessions=CHUNK + 3)


async def test_an_image_that_two_use_stays_for_the_second(scribe: Scribe, store: Store) -> None:
    turn_input = TurnInput(ChatMessage("user", (Part("image", url="data:," + "x" * 9000),)))
    for session_id, admission_id in (("s", "a"), ("t", "b")):
        event = AdmissionAccepted(
            admission_id=admission_id, principal="api", surface="chat", input=turn_input
        )
        await scribe.write(
            session_id, opened(), event, settled(admission_id, None, outcome=Outcome.CANCELLED)
        )
    await store.delete_session("s", now=1.0)
    assert (await store.tidy(now=2.0, limits=LIMITS)).blobs == 0
    record = await store.admission("b")
    assert record is not None
    assert record.input == turn_input


async def test_deltas_are_merged_into_one_message_of_the_last_attempt(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write(
        "s", said("a", 1, "lost"), ThoughtAppended(admission_id="a", generation=1, text="lost")
    )
    await scribe.write("s", AnswerRestarted(admission_id="a", generation=1))
    thoughts = [ThoughtAppended(admission_id="a", generation=1, text=text) for text in ("so ", "it is")]
    await scribe.write("s", thoughts[0], said("a", 1, "one "), thoughts[1], said("a", 1, "two"))
    await scribe.write("s", settled("a", 1, text="one two"), at=1000.0)

    assert (await store.tidy(now=1000.0 + DAY_S, limits=LIMITS)).merged == 0
    assert (await store.tidy(now=1001.0 + DAY_S, limits=LIMITS)).merged == 1
    left = await store.events("s", after=3, limit=20)
    assert [(item.seq, item.event) for item in left] == [
        (9, ThoughtAppended(admission_id="a", generation=1, text="so it is")),
        (10, said("a", 1, "one two")),
        (11, settled("a", 1, text="one two")),
    ]
    assert (await said_so_far(store, "a"))[0] == "one two"
    assert (await store.tidy(now=10**9, limits=LIMITS)).merged == 0


async def test_who_resumes_inside_what_was_merged_is_told(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", said("a", 1, "x"), said("a", 1, "y"), said("a", 1, "z"), settled("a", 1))
    assert not await store.truncated("s", after=4)
    await store.tidy(now=10**9, limits=LIMITS)
    assert [await store.truncated("s", after=seq) for seq in range(8)] == [False] * 4 + [True] * 2 + [
        False
    ] * 2


async def test_a_turn_that_still_runs_keeps_its_deltas(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", said("a", 1, "x"), said("a", 1, "y"))
    assert (await store.tidy(now=10**9, limits=LIMITS)).merged == 0
    assert len(await store.events("s", after=0, limit=10)) == 5


async def test_sessions_are_listed_the_last_active_first(scribe: Scribe, store: Store) -> None:
    for session_id, principal, at in (
        ("x", "api", 1.0),
        ("y", "bob", 3.0),
        ("z", "api", 3.0),
        ("w", "api", 2.0),
    ):
        await scribe.write(session_id, opened(principal=principal), at=at)
    await scribe.write("hidden", opened(ephemeral=True), at=9.0)
    page = await store.sessions(SessionFilter(), limit=3)
    assert ([item.session_id for item in page.items], page.has_more) == (["z", "y", "w"], True)
    page = await store.sessions(SessionFilter(principal="api"), after="z", limit=3)
    assert ([item.session_id for item in page.items], page.has_more) == (["w", "x"], False)


async def test_a_session_made_again_goes_on_above_the_numbers_of_its_earlier_life(
    scribe: Scribe, store: Store
) -> None:
    for session_id, begins in (("s", 1), ("s", 3), ("s", 5), ("t", 1)):
        scribe.heads.pop(session_id, None)
        recorded = await scribe.write(session_id, opened(), SessionChanged(title="t"))
        assert [item.seq for item in recorded] == [begins, begins + 1]
        told = [await store.truncated(session_id, after=place) for place in range(begins + 2)]
        assert told == [False] + [True] * (begins - 1) + [False] * 2, "from the start on it is whole"
        await store.delete_session(session_id, now=2.0)


async def test_sessions_of_single_requests_share_what_is_remembered_of_their_numbers(
    scribe: Scribe, store: Store
) -> None:
    for number in range(1, 4):
        session_id = f"api-{number:016x}"
        (recorded,) = await scribe.write(session_id, opened(ephemeral=True))
        assert recorded.seq == number
        await store.delete_session(session_id, now=2.0)
    conn = store._writer.group.conn
    assert conn.execute("SELECT * FROM graves").fetchall() == [("api-", 3)]
