"""Appending: numbering, preconditions, and that a batch is recorded whole or not at all."""

from __future__ import annotations

import pytest

from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput
from placet.actors.protocol.errors import InvalidInput, TooLarge
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionAccepted,
    AdmissionLost,
    RuleAdded,
    RuleRevoked,
    StepEnded,
)
from placet.actors.protocol.limits import Limits
from placet.actors.store import (
    Batch,
    CorruptTransition,
    KeyFree,
    PreconditionFailed,
    RuleLive,
    SessionAbsent,
    Store,
    StreamAppend,
)
from tests.store.build import Scribe, accepted, asked, claimed, opened, rule, said, said_so_far, settled


async def test_events_are_numbered_per_stream_and_over_the_whole_log(scribe: Scribe) -> None:
    first = await scribe.write("s", opened(), accepted("a"))
    second = await scribe.write("t", opened())
    third = await scribe.write("s", claimed("a", 1))
    assert [item.seq for item in first + second + third] == [1, 2, 1, 3]
    positions = [item.position for item in first + second + third]
    assert positions == sorted(set(positions))


async def test_positions_are_those_of_the_rows_also_after_what_was_rolled_back_or_deleted(
    scribe: Scribe, store: Store
) -> None:
    recorded = list(await scribe.write("s", opened(), accepted("a")))
    with pytest.raises(CorruptTransition):
        await scribe.write("s", claimed("a", 1), claimed("a", 1))
    recorded += await scribe.write("t", opened(), accepted("b"), claimed("b", 1), said("b", 1, "x"))
    await scribe.write("gone", opened())
    assert await store.delete_session("gone", now=2.0)
    recorded += await scribe.write("s", claimed("a", 1), said("a", 1, "y"), settled("a", 1))
    found = store._writer.group.conn.execute("SELECT stream, seq, position FROM events ORDER BY position")
    assert found.fetchall() == [(item.stream, item.seq, item.position) for item in recorded]


async def test_events_are_read_as_they_were_written(scribe: Scribe, store: Store) -> None:
    written = await scribe.write("s", opened(), accepted("a"), claimed("a", 1), asked("r", "a", 1), at=12.5)
    read = await store.events("s", after=0, limit=10)
    assert [(r.stream, r.seq, r.position, r.at, r.event) for r in read] == [
        (w.stream, w.seq, w.position, w.at, w.event) for w in written
    ]


async def test_events_are_read_in_stretches(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    await scribe.write("s", said("a", 1, "x"), said("a", 1, "y"), said("a", 1, "z"))
    assert [item.seq for item in await store.events("s", after=2, up_to=5, limit=10)] == [3, 4, 5]
    assert [item.seq for item in await store.events("s", after=2, limit=1)] == [3]
    assert [item.seq for item in await store.events("s", after=0, admission_id="a", limit=10)] == [
        2,
        3,
        4,
        5,
        6,
    ]


async def test_a_session_may_jump_ahead_but_not_back(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened())
    jumped = await store.append(Batch((StreamAppend("s", (accepted("a"),), 1, first_seq=1001),), 1.0))
    assert jumped[0].seq == 1001
    with pytest.raises(PreconditionFailed) as caught:
        await store.append(Batch((StreamAppend("s", (claimed("a", 1),), 1001, first_seq=1001),), 1.0))
    assert caught.value.code == "stale_stream"


async def test_another_head_is_a_conflict(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened(), accepted("a"))
    with pytest.raises(PreconditionFailed) as caught:
        await store.append(Batch((StreamAppend("s", (claimed("a", 1),), 1),), 1.0))
    assert caught.value.code == "stale_stream"
    assert len(await store.events("s", after=0, limit=10)) == 2


async def test_a_batch_over_two_streams_is_recorded_whole_or_not_at_all(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened())
    with pytest.raises(CorruptTransition):
        await store.append(
            Batch(
                (
                    StreamAppend(SERVER_STREAM, (RuleAdded(rule("rule-1")),), None),
                    StreamAppend("s", (accepted("a"), claimed("other", 1)), 1),
                ),
                1.0,
            )
        )
    assert await store.admission("a") is None
    assert await store.rule_by_id("rule-1") is None
    assert await store.events(SERVER_STREAM, after=0, limit=10) == []


async def test_a_taken_key_is_a_conflict_until_it_expires(scribe: Scribe, store: Store) -> None:
    free = KeyFree("api", "chat", "k")
    await scribe.write("s", opened(), accepted("a", key="k"), requires=(free,))
    with pytest.raises(PreconditionFailed) as caught:
        await scribe.write("t", opened(), accepted("b", key="k"), requires=(free,))
    assert caught.value.code == "idempotency_key_taken"
    await scribe.write("s", claimed("a", 1), settled("a", 1), at=10.0)
    later = 10.0 + Limits().idempotency_after_s
    await scribe.write("t", opened(), accepted("b", key="k"), at=later, requires=(free,))
    found = await store.key("api", "chat", "k", now=later)
    assert found is not None
    assert found.admission_id == "b"


@pytest.mark.parametrize("identity", [("bob", "chat", "k"), ("api", "runs", "k"), ("api", "chat", "other")])
async def test_a_key_belongs_to_principal_and_family(scribe: Scribe, identity: tuple[str, str, str]) -> None:
    await scribe.write("s", opened(), accepted("a", key="k"))
    principal, family, key = identity
    again = accepted("b", key=key, principal=principal, surface=family)
    recorded = await scribe.write("t", opened(), again, requires=(KeyFree(*identity),))
    assert recorded[1].event == again


async def test_a_key_taken_without_asking_is_stopped_by_the_table(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened(), accepted("a", key="k"))
    with pytest.raises(CorruptTransition):
        await scribe.write("t", opened(), accepted("b", key="k"))
    assert await store.session("t") is None


async def test_a_rule_must_be_live(scribe: Scribe) -> None:
    await scribe.write(SERVER_STREAM, RuleAdded(rule("rule-1")))
    await scribe.write("s", opened(), requires=(RuleLive("rule-1"),))
    await scribe.write(SERVER_STREAM, RuleRevoked(rule_id="rule-1", by="alice"))
    for rule_id in ("rule-1", "never"):
        with pytest.raises(PreconditionFailed) as caught:
            await scribe.write("s", accepted("a"), requires=(RuleLive(rule_id),))
        assert caught.value.code == "rule_revoked"


async def test_a_session_opens_once(scribe: Scribe, store: Store) -> None:
    await scribe.write("s", opened())
    with pytest.raises(PreconditionFailed) as caught:
        await store.append(Batch((StreamAppend("s", (opened(),), 1),), 1.0, requires=(SessionAbsent("s"),)))
    assert caught.value.code == "session_exists"
    with pytest.raises(CorruptTransition):
        await scribe.write("s", opened())


async def test_a_stream_that_was_never_opened_takes_nothing(scribe: Scribe, store: Store) -> None:
    with pytest.raises(CorruptTransition):
        await scribe.write("s", said("a", 1, "x"))
    assert await store.events("s", after=0, limit=10) == []


async def test_large_events_are_refused_before_anything_is_written(scribe: Scribe, store: Store) -> None:
    await scribe.running()
    with pytest.raises(TooLarge) as caught:
        await scribe.write("s", said("a", 1, "fits"), said("a", 1, "x" * Limits().event_bytes))
    assert caught.value.code == "event_too_large"
    result = "x" * (Limits().step_result_bytes + 5000)
    with pytest.raises(TooLarge) as caught:
        await scribe.write("s", StepEnded(admission_id="a", generation=1, step="k", result=result))
    assert caught.value.code == "result_too_large"
    assert (await said_so_far(store, "a"))[0] == ""


@pytest.mark.parametrize("result", ["\ud800", object()])
async def test_what_has_no_json_form_is_refused(scribe: Scribe, result: object) -> None:
    await scribe.running()
    with pytest.raises(InvalidInput) as caught:
        await scribe.write("s", StepEnded(admission_id="a", generation=1, step="k", result=result))
    assert caught.value.code == "not_json"


async def test_large_images_lie_apart_and_come_back(scribe: Scribe, store: Store) -> None:
    image = "data:image/png;base64," + "A" * 20_000
    content = ChatMessage("user", (Part("text", "what is this?"), Part("image", url=image)))
    turn_input = TurnInput(content, history=(content, ChatMessage("assistant", (Part("text", "a cat"),))))
    event = AdmissionAccepted(admission_id="a", principal="api", surface="chat", input=turn_input)
    await scribe.write("s", opened(), event, claimed("a", 1), settled("a", 1))
    record = await store.admission("a")
    assert record is not None
    assert record.input == turn_input
    assert (await store.events("s", after=1, limit=1))[0].event == event
    assert (await store.transcript("s"))[0] == content
    conn = store._writer.group.conn
    assert conn.execute("SELECT count(*), max(length(bytes)) FROM blobs").fetchall() == [(1, len(image))]
    assert conn.execute("SELECT max(length(payload_json)) FROM session_admissions").get < 2000


async def test_a_client_cannot_name_anothers_image(scribe: Scribe, store: Store) -> None:
    secret = "data:image/png;base64," + "A" * 20_000
    theirs = TurnInput(ChatMessage("user", (Part("image", url=secret),)))
    await scribe.write(
        "s", opened(), AdmissionAccepted(admission_id="a", principal="api", surface="chat", input=theirs)
    )
    reference = "placet-blob:" + store._writer.group.conn.execute("SELECT sha256 FROM blobs").get
    mine = TurnInput(ChatMessage("user", (Part("image", url=reference),)))
    await scribe.write(
        "t", opened(), AdmissionAccepted(admission_id="b", principal="eve", surface="chat", input=mine)
    )
    record = await store.admission("b")
    assert record is not None
    assert record.input == mine


async def test_a_lost_turn_takes_no_output(scribe: Scribe) -> None:
    await scribe.running()
    await scribe.write("s", AdmissionLost(admission_id="a", generation=1))
    with pytest.raises(CorruptTransition):
        await scribe.write("s", said("a", 1, "late"))
