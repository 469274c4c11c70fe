"""The session's actor, with its turns and the store, on a clock that jumps."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.agents import Turn
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.errors import (
    ActorStopped,
    Conflict,
    Draining,
    NotFound,
    StoreUnavailable,
    TooMany,
)
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.records import AdmissionStatus
from placet.actors.runtime import BroadcastClosed, SubscriptionCut
from placet.actors.session import prompts
from placet.actors.session.actor import SessionActor
from placet.actors.session.state import Session, apply, from_snapshot
from placet.actors.store import Store
from placet.actors.store.codec import ENVELOPE_BYTES
from tests.session.house import answer, open_house, settled, submission, watch_until
from tests.store.build import said_so_far


async def asks_once(turn: Turn) -> str:
    decision = await turn.request_approval(command="rm -rf x", description="it deletes")
    return f"{decision.choice}/{decision.outcome.value}"


async def echoes(turn: Turn) -> str:
    return turn.input


async def test_a_turn_runs_and_its_answer_is_stored_before_it_is_shown(autojump_clock) -> None:
    async with open_house(echoes) as sessions:
        admitted = await sessions.ask("s", submission("hello"))
        seen = await watch_until(admitted, e.AdmissionSettled)
        stored = await sessions.store.events("s", after=admitted.head_seq, limit=100)
        assert [item.seq for item in seen] == [item.seq for item in stored]
        record = await sessions.store.admission(admitted.admission_id)
        assert record is not None
        assert (record.status, record.outcome) == (AdmissionStatus.TERMINAL, e.Outcome.COMPLETED)
        assert record.result is not None
        assert record.result.text == "hello"


async def test_an_approval_is_answered_once_and_reaches_the_turn(autojump_clock) -> None:
    async with open_house(asks_once) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        decided = await answer(sessions, "s", admitted.admission_id)
        assert decided.fresh
        record = await settled(sessions, admitted)
        assert record.result is not None
        assert record.result.text == "once/approved"
        with pytest.raises(Conflict) as refused:
            await answer(sessions, "s", admitted.admission_id)
        assert refused.value.code == "already_resolved"


async def test_a_prompt_warns_and_then_expires_and_nothing_is_denied(autojump_clock) -> None:
    limits = Limits(approval_timeout_s=100, approval_warning_s=10)
    async with open_house(asks_once, limits=limits) as sessions:
        start = trio.current_time()
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalExpiring)
        assert trio.current_time() - start == pytest.approx(90, abs=1)
        record = await settled(sessions, admitted)
        assert trio.current_time() - start == pytest.approx(100, abs=1)
        assert record.result is not None
        assert record.result.text == "None/expired"
        with pytest.raises(Conflict) as refused:
            await answer(sessions, "s", admitted.admission_id)
        assert refused.value.code == "approval_expired"


async def test_waiting_for_a_person_uses_no_machine_time(autojump_clock) -> None:
    limits = Limits(approval_timeout_s=0, turn_timeout_s=60)
    async with open_house(asks_once, limits=limits) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        await trio.sleep(3000)
        await answer(sessions, "s", admitted.admission_id, Choice.DENY)
        record = await settled(sessions, admitted)
        assert record.outcome is e.Outcome.COMPLETED


async def test_a_turn_that_works_too_long_fails(autojump_clock) -> None:
    async def works(turn: Turn) -> None:
        await turn.say("begun")
        await trio.sleep_forever()

    async with open_house(works, limits=Limits(turn_timeout_s=60)) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
        assert record.outcome is e.Outcome.FAILED
        assert record.result is not None
        assert (record.result.text, record.result.error_code) == ("begun", "turn_timed_out")


async def test_an_agent_that_raises_is_a_failed_turn_and_says_nothing_of_its_insides(autojump_clock) -> None:
    async def breaks(turn: Turn) -> None:
        await turn.say("half")
        raise RuntimeError("secret detail")

    async with open_house(breaks) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
        assert record.outcome is e.Outcome.FAILED
        assert record.result is not None
        assert record.result.error_code == "agent_failed"
        assert "secret" not in (record.result.error or "")


async def test_stop_ends_the_turn_closes_its_prompt_and_stays_true(autojump_clock) -> None:
    async with open_house(asks_once) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        stopped = await sessions.ask("s", c.Stop(admission_id=admitted.admission_id, by="ann"))
        assert stopped.stopping
        record = await settled(sessions, admitted)
        assert record.outcome is e.Outcome.CANCELLED
        (prompt,) = await sessions.store.approvals_of(admitted.admission_id)
        assert prompt.status is ApprovalStatus.CANCELLED
        with pytest.raises(Conflict) as refused:
            await answer(sessions, "s", admitted.admission_id)
        assert refused.value.code == "approval_not_pending"


async def test_inputs_run_one_by_one_in_order_with_the_history_of_then(autojump_clock) -> None:
    histories: list[list[str]] = []

    async def remembers(turn: Turn) -> str:
        histories.append([message.text for message in turn.history])
        await trio.sleep(1)
        return f"re {turn.input}"

    async with open_house(remembers) as sessions:
        first = await sessions.ask("s", submission("a", run_id="run_a"))
        second = await sessions.ask("s", submission("b", run_id="run_b"))
        assert (first.ahead, second.ahead) == (0, 1)
        await settled(sessions, second)
        assert histories == [[], ["a", "re a"]]


async def test_a_full_queue_refuses_and_keeps_what_it_has(autojump_clock) -> None:
    async with open_house(asks_once, limits=Limits(queued_per_session=2)) as sessions:
        for number in range(3):
            await sessions.ask("s", submission(run_id=f"run_{number}"))
        with pytest.raises(TooMany) as refused:
            await sessions.ask("s", submission(run_id="run_x"))
        assert refused.value.code == "queue_full"
        assert await sessions.store.run("run_2") is not None
        assert await sessions.store.run("run_x") is None


async def test_the_cap_counts_running_turns_but_none_that_waits_for_a_person(autojump_clock) -> None:
    async def works(turn: Turn) -> str:
        if turn.input == "ask":
            await turn.request_approval(command="x", description="d")
        await trio.sleep(10)
        return "done"

    async with open_house(works, limits=Limits(running_turns=1)) as sessions:
        asking = await sessions.ask("a", submission("ask", run_id="run_a"))
        await watch_until(asking, e.ApprovalOpened)
        working = await sessions.ask("b", submission("work", run_id="run_b"))
        with pytest.raises(TooMany) as refused:
            await sessions.ask("c", submission("more", run_id="run_c"))
        assert refused.value.code == "rate_limit_exceeded"
        await answer(sessions, "a", asking.admission_id)
        await settled(sessions, working)
        await settled(sessions, asking)
        assert sessions.services.room.running == 0


async def test_a_queued_turn_starts_as_soon_as_there_is_a_place(autojump_clock) -> None:
    async def works(turn: Turn) -> str:
        if turn.input == "ask":
            await turn.request_approval(command="x", description="d")
        else:
            await trio.sleep(10)
        return "done"

    async with open_house(works, limits=Limits(running_turns=1)) as sessions:
        asking = await sessions.ask("a", submission("ask", run_id="run_a1"))
        await watch_until(asking, e.ApprovalOpened)
        queued = await sessions.ask("a", submission("work", run_id="run_a2"))
        blocker = await sessions.ask("b", submission("work", run_id="run_b"))
        await answer(sessions, "a", asking.admission_id)
        start = trio.current_time()
        await settled(sessions, queued)
        assert trio.current_time() - start == pytest.approx(20, abs=1)
        assert (await sessions.store.admission(blocker.admission_id)).status is AdmissionStatus.TERMINAL  # type: ignore[union-attr]


async def test_an_exact_retry_joins_and_another_body_conflicts(autojump_clock) -> None:
    async with open_house(asks_once) as sessions:
        first = await sessions.ask("s", submission(run_id="run_1", key="k"))
        again = await sessions.ask("s", submission(run_id="run_2", key="k"))
        assert (first.joined, again.joined) == (False, True)
        assert again.admission_id == first.admission_id
        with pytest.raises(Conflict) as refused:
            await sessions.ask("s", submission("other", run_id="run_3", key="k"))
        assert refused.value.code == "idempotency_key_conflict"
        with pytest.raises(Conflict):
            await sessions.ask("t", submission(run_id="run_4", key="k"))
        run = await sessions.store.run("run_2")
        assert run is not None
        assert run.admission.admission_id == first.admission_id


async def test_a_retry_joins_even_at_the_cap(autojump_clock) -> None:
    async def works(turn: Turn) -> str:
        await trio.sleep(10)
        return "done"

    async with open_house(works, limits=Limits(running_turns=1)) as sessions:
        first = await sessions.ask("s", submission(key="k"))
        again = await sessions.ask("s", submission(run_id="run_2", key="k"))
        assert again.admission_id == first.admission_id


async def test_always_and_session_are_remembered_exactly_as_far_as_they_say(autojump_clock) -> None:
    async def asks_for_input(turn: Turn) -> str:
        decision = await turn.request_approval(command=turn.input, description="d")
        return decision.decided_by

    async with open_house(asks_for_input) as sessions:
        for number, (session_id, command, choice) in enumerate(
            [("a", "rm x", Choice.ONCE), ("a", "rm x", Choice.SESSION), ("b", "rm y", Choice.ALWAYS)]
        ):
            admitted = await sessions.ask(session_id, submission(command, run_id=f"run_{number}"))
            await watch_until(admitted, e.ApprovalOpened)
            await answer(sessions, session_id, admitted.admission_id, choice)
            await settled(sessions, admitted)

        async def is_asked(session_id: str, command: str, run_id: str) -> bool:
            admitted = await sessions.ask(session_id, submission(command, run_id=run_id))
            seen = await watch_until(admitted, e.ApprovalOpened, e.ApprovalGranted)
            asked = isinstance(seen[-1].event, e.ApprovalOpened)
            if asked:
                await answer(sessions, session_id, admitted.admission_id, Choice.DENY)
            record = await settled(sessions, admitted)
            assert record.result is not None
            assert record.result.text.startswith("ann" if asked else "rule:")
            return asked

        assert not await is_asked("a", "rm x", "run_10")
        assert await is_asked("b", "rm x", "run_11"), "a session's rule stays in its session"
        assert not await is_asked("a", "rm y", "run_12")
        assert await is_asked("a", "rm y z", "run_13"), "a rule is exact"
        assert await sessions.store.verify_chain() is None


async def test_a_revoked_rule_no_longer_answers(autojump_clock) -> None:
    from placet.actors.store import Batch, StreamAppend

    async with open_house(asks_once) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        decided = await answer(sessions, "s", admitted.admission_id, Choice.ALWAYS)
        await settled(sessions, admitted)
        revoked = e.RuleRevoked(rule_id=decided.approval.rule_id or "", by="ann")
        await sessions.store.append(Batch((StreamAppend(e.SERVER_STREAM, (revoked,), None),), 0.0))
        again = await sessions.ask("s", submission(run_id="run_2"))
        seen = await watch_until(again, e.ApprovalOpened, e.ApprovalGranted)
        assert isinstance(seen[-1].event, e.ApprovalOpened)


async def test_what_memory_holds_is_what_the_store_tells_and_what_the_events_fold_to(autojump_clock) -> None:
    async def asks_twice(turn: Turn) -> str:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: turn.request_approval(command="a", description="d"))
            nursery.start_soon(lambda: turn.request_approval(command="b", description="d"))
        return "done"

    actors: dict[str, SessionActor] = {}
    async with open_house(asks_twice) as sessions:
        make = sessions.registry._factory

        def remember(context):
            actors[context.key] = make(context)
            return actors[context.key]

        sessions.registry._factory = remember
        admitted = await sessions.ask("s", submission())
        await sessions.ask("s", submission("later", run_id="run_2"))
        await watch_until(admitted, e.ApprovalOpened)
        await wait_all_tasks_blocked()
        first, _ = await sessions.store.approvals_of(admitted.admission_id)
        await answer(sessions, "s", admitted.admission_id, request_id=first.prompt.request_id)
        await wait_all_tasks_blocked()

        snapshot = await sessions.store.session("s")
        assert snapshot is not None
        folded = Session("s")
        for item in await sessions.store.events("s", after=0, limit=1000):
            folded = apply(folded, item.event, item.at)
        assert from_snapshot(snapshot) == folded == actors["s"]._executor.session


async def test_a_refused_write_changes_nothing_and_the_turn_fails_openly(autojump_clock, monkeypatch) -> None:
    async with open_house(asks_once) as sessions:
        append = sessions.store.append

        async def refuse(batch):
            raise StoreUnavailable("the disk is full")

        monkeypatch.setattr(sessions.store, "append", refuse)
        with pytest.raises(StoreUnavailable):
            await sessions.ask("s", submission())
        assert sessions.services.room.running == 0
        monkeypatch.setattr(sessions.store, "append", append)
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        monkeypatch.setattr(sessions.store, "append", refuse)
        with pytest.raises(StoreUnavailable):
            await answer(sessions, "s", admitted.admission_id)
        monkeypatch.setattr(sessions.store, "append", append)
        assert (await answer(sessions, "s", admitted.admission_id)).fresh
        assert (await settled(sessions, admitted)).outcome is e.Outcome.COMPLETED


async def test_the_end_of_a_turn_is_written_as_soon_as_the_disk_takes_it(autojump_clock, monkeypatch) -> None:
    async with open_house(echoes) as sessions:
        append = sessions.store.append
        refusals = 0

        async def refuse_ends(batch):
            nonlocal refusals
            if refusals < 4 and any(
                isinstance(x, e.AdmissionSettled) for a in batch.appends for x in a.events
            ):
                refusals += 1
                raise StoreUnavailable("the disk is full")
            return await append(batch)

        monkeypatch.setattr(sessions.store, "append", refuse_ends)
        record = await settled(sessions, await sessions.ask("s", submission()))
        assert (refusals, record.outcome) == (4, e.Outcome.COMPLETED)


async def test_what_a_turn_does_last_is_one_write_with_its_end(autojump_clock, monkeypatch) -> None:
    writes: list[list[str]] = []

    async def agent(turn: Turn) -> str:
        async def look() -> str:
            return "seen"

        return await turn.step("look", look, wait=False)

    async with open_house(agent) as sessions:
        append = sessions.store.append

        async def count(batch):
            writes.append([type(event).__name__ for part in batch.appends for event in part.events])
            return await append(batch)

        monkeypatch.setattr(sessions.store, "append", count)
        admitted = await sessions.ask("s", submission())
        record = await settled(sessions, admitted)
    assert record.result.text == "seen"
    kinds = [kind for write in writes[1:] for kind in write]
    assert kinds == ["StepEnded", "TextAppended", "AdmissionSettled"]
    assert len(writes) <= 3


async def test_an_end_that_no_record_can_hold_is_a_failure(autojump_clock) -> None:
    async def agent(turn: Turn) -> str:
        await turn.say("whole")
        await turn.outbox.flush()
        turn.outbox.put(
            e.StepEnded(
                admission_id=turn.admission_id,
                generation=turn.generation,
                step="s",
                result="x" * (turn.surroundings.limits.step_result_bytes + ENVELOPE_BYTES),
            )
        )
        return ""

    async with open_house(agent) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
        assert (record.outcome, record.result.error_code) == (e.Outcome.FAILED, "result_too_large")
        assert record.result.text == "whole"
        again = await sessions.ask("s", submission(run_id="run_2"))  # the session goes on
        assert (await settled(sessions, again)).admission_id == again.admission_id


async def test_a_session_that_is_said_to_be_new_and_is_not_is_refused_and_unharmed(autojump_clock) -> None:
    async def agent(turn: Turn) -> str:
        return str(len(turn.history))

    store = Store.inline()
    async with open_house(agent, store=store) as sessions:
        await settled(sessions, await sessions.ask_new("s", submission()))
    async with open_house(agent, store=store) as sessions:
        with pytest.raises(ActorStopped):
            await sessions.ask_new("s", submission("other", run_id="run_2"))
        record = await settled(sessions, await sessions.ask("s", submission("third", run_id="run_3")))
        assert record.result.text == "2"


async def test_a_watcher_who_is_slow_is_cut_and_the_others_are_not(autojump_clock) -> None:
    async def talks(turn: Turn) -> None:
        for number in range(50):
            await turn.say(f"{number} ")
            await trio.sleep(1)

    async with open_house(talks, limits=Limits(subscriber_events=10)) as sessions:
        admitted = await sessions.ask("s", submission())
        slow = await sessions.ask("s", c.Watch())
        await watch_until(admitted, e.AdmissionSettled)
        with pytest.raises(SubscriptionCut):
            await slow.tail.receive()


async def test_an_abandoned_subscription_is_closed_by_the_actor(autojump_clock) -> None:
    async with open_house(echoes) as sessions:
        admitted = await sessions.ask("s", submission())
        await settled(sessions, admitted)
        assert admitted.tail is not None
        admitted.tail.close()
        with trio.move_on_after(0) as scope:
            await sessions.ask("s", c.Watch())
        assert scope.cancelled_caught
        await wait_all_tasks_blocked()
        await trio.sleep(1000)
        assert sessions.registry.active_keys() == [], "a leaked subscriber would keep the actor awake"


async def test_a_session_without_a_way_to_open_it_is_not_found(autojump_clock) -> None:
    async with open_house(echoes) as sessions:
        with pytest.raises(NotFound) as missing:
            await sessions.ask(
                "s", c.Admit(principal="api", surface="session", run_id="r", input=submission().input)
            )
        assert missing.value.code == "session_not_found"
        await sessions.ask("s", c.OpenSession(opened=e.SessionOpened(principal="api")))
        with pytest.raises(Conflict) as twice:
            await sessions.ask("s", c.OpenSession(opened=e.SessionOpened(principal="api")))
        assert twice.value.code == "session_exists"
        with pytest.raises(NotFound):
            await sessions.ask(
                "s", c.Admit(principal="eve", surface="session", run_id="r", input=submission().input)
            )


async def test_drain_lets_turns_finish_and_then_interrupts_them(autojump_clock) -> None:
    async def works(turn: Turn) -> str:
        await turn.say("begun")
        await trio.sleep(float(turn.input))
        return " done"

    async with open_house(works, limits=Limits(drain_grace_s=5)) as sessions:
        quick = await sessions.ask("a", submission("2", run_id="run_a"))
        slow = await sessions.ask("b", submission("100", run_id="run_b"))
        idle = await sessions.ask("c", c.Watch())
        await wait_all_tasks_blocked()
        await sessions.drain(trio.Event())
        assert (await settled(sessions, quick)).outcome is e.Outcome.COMPLETED
        ended = await settled(sessions, slow)
        assert ended.outcome is e.Outcome.INTERRUPTED
        assert ended.result is not None
        assert ended.result.text == "begun"
        with pytest.raises(BroadcastClosed):
            await idle.tail.receive()
        with pytest.raises(Draining):
            await sessions.ask("a", submission(run_id="run_c"))


async def test_drain_parks_a_replayable_turn_and_the_next_house_goes_on_with_it(autojump_clock) -> None:
    store = Store.inline()
    ran: list[int] = []

    async def steps(turn: Turn) -> str:
        async def effect() -> int:
            ran.append(1)
            return len(ran)

        number = await turn.step("effect", effect)
        await turn.say(f"effect {number}; ")
        decision = await turn.request_approval(command="rm x", description="d")
        return f"{decision.choice}"

    async with open_house(steps, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        hurry = trio.Event()
        hurry.set()
        await sessions.drain(hurry)
    (before,) = await store.approvals_of(admitted.admission_id)
    assert before.status is ApprovalStatus.OPEN

    async with open_house(steps, store=store, replayable=True) as sessions:
        assert await sessions.recover() == 1
        await wait_all_tasks_blocked()
        (after,) = await store.approvals_of(admitted.admission_id)
        assert after.prompt.request_id == before.prompt.request_id
        assert after.generation == before.generation + 1
        with pytest.raises(Conflict) as stale:
            await answer(sessions, "s", admitted.admission_id, generation=before.generation)
        assert stale.value.code == "stale_generation"
        watching = await sessions.ask("s", c.Watch())
        await answer(sessions, "s", admitted.admission_id, generation=after.generation)
        while not any(isinstance(item.event, e.AdmissionSettled) for item in await watching.tail.receive()):
            pass
        record = await store.admission(admitted.admission_id)
        assert record is not None
        assert record.result is not None
        assert (record.outcome, record.result.text) == (e.Outcome.COMPLETED, "effect 1; once")
    assert ran == [1], "a finished step does not run again"
    assert (await said_so_far(store, admitted.admission_id))[0] == "effect 1; once"


async def crash_at_the_prompt(store: Store, function, **house) -> str:
    async with open_house(function, store=store, **house) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
    return admitted.admission_id


async def test_an_opaque_turn_is_unknown_after_a_crash_until_someone_settles_it(autojump_clock) -> None:
    store = Store.inline()
    lost = await crash_at_the_prompt(store, asks_once)
    async with open_house(echoes, store=store) as sessions:
        await sessions.recover()
        record = await store.admission(lost)
        assert record is not None
        assert record.status is AdmissionStatus.UNKNOWN
        (prompt,) = await store.approvals_of(lost)
        assert (prompt.status, prompt.reason) == (ApprovalStatus.CANCELLED, "owner_lost")
        behind = await sessions.ask("s", submission("next", run_id="run_2"))
        assert behind.ahead == 1
        with pytest.raises(Conflict) as stale:
            await sessions.ask("s", c.ResolveUnknown(admission_id=lost, generation=9, by="ann"))
        assert stale.value.code == "stale_generation"
        assert record.generation is not None
        await sessions.ask("s", c.ResolveUnknown(admission_id=lost, generation=record.generation, by="ann"))
        assert (await settled(sessions, behind)).outcome is e.Outcome.COMPLETED
        ended = await store.admission(lost)
        assert ended is not None
        assert ended.outcome is e.Outcome.INTERRUPTED


async def test_the_setting_settles_a_lost_turn_at_once(autojump_clock) -> None:
    store = Store.inline()
    lost = await crash_at_the_prompt(store, asks_once)
    async with open_house(echoes, store=store, interrupt=True) as sessions:
        await sessions.recover()
        record = await store.admission(lost)
        assert record is not None
        assert record.outcome is e.Outcome.INTERRUPTED


async def test_a_prompt_that_expired_while_the_server_was_down_is_expired(autojump_clock) -> None:
    store = Store.inline()
    lost = await crash_at_the_prompt(store, asks_once, replayable=True, limits=Limits(approval_timeout_s=100))
    await trio.sleep(200)
    async with open_house(asks_once, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        record = await store.admission(lost)
        assert record is not None
        assert record.result is not None
        assert record.result.text == "None/expired"


async def test_an_agent_that_goes_another_way_after_a_crash_fails(autojump_clock) -> None:
    store = Store.inline()

    async def asks_for_something_else(turn: Turn) -> str:
        decision = await turn.request_approval(command="rm -rf y", description="it deletes")
        return f"{decision.choice}"

    lost = await crash_at_the_prompt(store, asks_once, replayable=True)
    async with open_house(asks_for_something_else, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        record = await store.admission(lost)
        assert record is not None
        assert record.result is not None
        assert (record.outcome, record.result.error_code) == (e.Outcome.FAILED, "replay_diverged")


@pytest.mark.parametrize(("choice", "runs"), [(Choice.RETRY, 2), (Choice.FAILED, 1)])
async def test_a_tool_that_had_started_and_not_ended_is_asked_about(autojump_clock, choice, runs) -> None:
    store = Store.inline()
    effects: list[int] = []

    async def uses_a_tool(turn: Turn) -> str:
        async with turn.tool("terminal", {"command": "make"}) as call:
            if not call.replayed:
                effects.append(1)
                if len(effects) == 1:
                    await trio.sleep_forever()
                call.finish("made")
        return str(call.result)

    async with open_house(uses_a_tool, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ToolStarted)
        await wait_all_tasks_blocked()
    async with open_house(uses_a_tool, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        (row,) = await store.approvals_of(admitted.admission_id)
        assert row.prompt.kind == "outcome_unknown"
        assert row.prompt.choices == (Choice.RETRY, Choice.FAILED)
        await answer(sessions, "s", admitted.admission_id, choice)
        await wait_all_tasks_blocked()
        record = await store.admission(admitted.admission_id)
        assert record is not None
        assert record.outcome is e.Outcome.COMPLETED
    assert len(effects) == runs


async def test_a_session_at_rest_leaves_memory_and_comes_back(autojump_clock) -> None:
    async with open_house(echoes) as sessions:
        first = await sessions.ask("s", submission(run_id="run_1"))
        await settled(sessions, first)
        assert first.tail is not None
        first.tail.close()
        await trio.sleep(2000)
        assert sessions.registry.active_keys() == []
        second = await sessions.ask("s", submission("again", run_id="run_2"))
        assert (await settled(sessions, second)).outcome is e.Outcome.COMPLETED


async def test_an_actor_that_crashes_gives_its_place_back_and_its_turn_is_not_run_again(
    autojump_clock, monkeypatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    runs: list[int] = []

    async def asks(turn: Turn) -> str:
        runs.append(1)
        await turn.request_approval(command="x", description="d")
        return "done"

    async with open_house(asks, limits=Limits(running_turns=1)) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        with monkeypatch.context() as patched:
            patched.setattr(prompts, "decide", breaks)
            with pytest.raises(ActorStopped):
                await answer(sessions, "s", admitted.admission_id)
        await wait_all_tasks_blocked()
        assert sessions.services.room.running == 0
        with pytest.raises(Conflict) as refused:
            await answer(sessions, "s", admitted.admission_id)
        assert refused.value.code == "approval_not_pending"
        record = await sessions.store.admission(admitted.admission_id)
        assert record is not None
        assert record.status is AdmissionStatus.UNKNOWN
    assert runs == [1]


async def test_a_session_that_has_let_its_watchers_go_still_records(autojump_clock) -> None:
    store = Store.inline()
    lost = await crash_at_the_prompt(store, asks_once)
    async with open_house(echoes, store=store) as sessions:
        await sessions.recover()
        behind = await sessions.ask("s", submission("next", run_id="run_2"))
        hurry = trio.Event()
        hurry.set()
        await sessions.drain(hurry)
        stopped = await sessions.ask("s", c.Stop(admission_id=behind.admission_id, by="ann"))
        assert stopped.admission.outcome is e.Outcome.CANCELLED
        record = await store.admission(lost)
        assert record is not None
        assert record.status is AdmissionStatus.UNKNOWN


async def test_a_yes_to_a_lost_tool_holds_for_one_more_start_only(autojump_clock) -> None:
    """One approval, one more effect: a tool that is lost again is asked about again."""
    store = Store.inline()
    effects: list[int] = []

    async def never_ends(turn: Turn) -> None:
        async with turn.tool("terminal", {"command": "make"}) as call:
            if not call.replayed:
                effects.append(1)
                await trio.sleep_forever()

    async with open_house(never_ends, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ToolStarted)
        await wait_all_tasks_blocked()
    for lives in (1, 2, 3):
        async with open_house(never_ends, store=store, replayable=True) as sessions:
            await sessions.recover()
            await wait_all_tasks_blocked()
            assert len(effects) == lives, "nothing ran before it was asked about"
            rows = await store.approvals_of(admitted.admission_id)
            (asked,) = [row for row in rows if row.status is ApprovalStatus.OPEN]
            assert len(rows) == lives
            await answer(
                sessions, "s", admitted.admission_id, Choice.RETRY, request_id=asked.prompt.request_id
            )
            await wait_all_tasks_blocked()
            assert len(effects) == lives + 1
