"""Rules 1, 2 and 6: virtual actors, owned replies, deadlines."""

from __future__ import annotations

import contextvars
import math
from typing import assert_type

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.protocol.errors import ActorStopped, AskTimedOut, Conflict, Draining, MailboxFull
from placet.actors.runtime import RegistryLimits, open_registry, trace_id
from tests.runtime.probe import Add, Block, Call, Direct, Hold, Note, Probe, Refuse, RefusedNote, World


async def test_an_ask_activates_and_is_answered() -> None:
    world = World()
    async with open_registry(world.make) as registry:
        assert registry.active_keys() == []
        total = await registry.ask("a", Add(3))
        assert_type(total, int)
        assert total == 3
        assert await registry.ask("a", Add(4)) == 7
        assert registry.active_keys() == ["a"]
    assert registry.counts.activations == 1


async def test_keys_are_separate_actors() -> None:
    async with open_registry(World().make) as registry:
        await registry.ask("a", Add(3))
        assert await registry.ask("b", Add(1)) == 1
        assert sorted(registry.active_keys()) == ["a", "b"]


async def test_a_notice_is_handled_and_nobody_waits() -> None:
    world = World()
    async with open_registry(world.make) as registry:
        await registry.tell("a", Note("hello"))
        assert world.notes == []
        await wait_all_tasks_blocked()
        assert world.notes == ["hello"]


async def test_a_placet_error_is_an_answer_and_no_crash() -> None:
    world = World()
    async with open_registry(world.make) as registry:
        await registry.ask("a", Add(1))
        with pytest.raises(Conflict) as refused:
            await registry.ask("a", Refuse())
        assert refused.value.code == "refused"
        await registry.tell("a", RefusedNote())
        assert await registry.ask("a", Add(1)) == 2
    assert registry.counts.crashes == 0
    assert len(world.probes) == 1


async def test_a_hundred_first_asks_at_once_make_one_actor() -> None:
    """Trap T6: no checkpoint between looking a key up and inserting it."""
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make, RegistryLimits(mailbox_size=100)) as registry:
        async with trio.open_nursery() as nursery:
            for _ in range(100):
                nursery.start_soon(registry.ask, "a", Add(1))
            await wait_all_tasks_blocked()
            world.recovery_gate.set()
        assert await registry.ask("a", Add(0)) == 100
    assert len(world.probes) == 1


async def test_messages_wait_while_the_actor_recovers(nursery: trio.Nursery) -> None:
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make) as registry:
        nursery.start_soon(registry.ask, "a", Add(1))
        await registry.tell("a", Note("early"))
        await wait_all_tasks_blocked()
        assert world.handled == []
        world.recovery_gate.set()
        await wait_all_tasks_blocked()
        assert len(world.handled) == 2


async def test_the_first_asker_may_go_without_harm_to_the_activation(nursery: trio.Nursery) -> None:
    """Trap T5: with `nursery.start` the disconnect of one client would kill it for everyone who waits."""
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make) as registry:
        first = trio.CancelScope()
        totals: list[int] = []

        async def ask_first() -> None:
            with first:
                await registry.ask("a", Add(1))

        async def ask_second() -> None:
            totals.append(await registry.ask("a", Add(10)))

        nursery.start_soon(ask_first)
        await wait_all_tasks_blocked()
        nursery.start_soon(ask_second)
        await wait_all_tasks_blocked()
        first.cancel()
        await wait_all_tasks_blocked()
        world.recovery_gate.set()
        await wait_all_tasks_blocked()
    assert totals == [10]
    assert len(world.probes) == 1
    assert registry.counts.skipped == 1


request_var: contextvars.ContextVar[str] = contextvars.ContextVar("request_var", default="clean")


async def test_an_actor_does_not_inherit_the_context_of_who_woke_it() -> None:
    """Trap T4: the request's variables would stay for the actor's whole life."""
    seen: list[str] = []

    async def look(probe: Probe) -> None:
        seen.append(request_var.get())

    async with open_registry(World().make) as registry:
        request_var.set("some request")
        await registry.ask("a", Call(look))
    assert seen == ["clean"]


async def test_the_trace_id_travels_with_each_message_and_into_children() -> None:
    """Trap T4, the other half: what must reach the actor travels in the envelope."""
    world = World()
    in_child: list[str | None] = []

    async def child() -> None:
        in_child.append(trace_id.get())

    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(child)

    async with open_registry(world.make) as registry:
        trace_id.set("one")
        await registry.ask("a", Call(start_child))
        trace_id.set(None)
        await registry.ask("a", Add(1))
        await wait_all_tasks_blocked()
    assert world.traces == ["one", None]
    assert in_child == ["one"]


async def test_a_deferred_reply_is_answered_later(nursery: trio.Nursery) -> None:
    """Rule 4: this is how an approval waits."""
    world = World()
    answers: list[str] = []

    async with open_registry(world.make) as registry:

        async def ask() -> None:
            answers.append(await registry.ask("a", Hold()))

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        assert await registry.ask("a", Add(1)) == 1
        assert world.probes[0].held[0].send("yes")
        await wait_all_tasks_blocked()
    assert answers == ["yes"]


async def test_a_handler_may_answer_through_the_reply_once() -> None:
    async with open_registry(World().make) as registry:
        assert await registry.ask("a", Direct()) == "direct"
    assert registry.counts.late_answers == 1


async def test_an_ask_times_out_and_its_late_answer_is_counted(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Trap P1: in other libraries this answer killed the server."""
    world = World()
    async with open_registry(world.make) as registry:
        with pytest.raises(AskTimedOut) as timed_out:
            await registry.ask("a", Block(), timeout_s=2)
        assert trio.current_time() == pytest.approx(2)
        assert timed_out.value.retry_after_s is not None
        world.gate.set()
        await wait_all_tasks_blocked()
        assert registry.counts.late_answers == 1
        assert await registry.ask("a", Add(1)) == 1


async def test_without_a_timeout_the_limit_holds(autojump_clock: trio.testing.MockClock) -> None:
    async with open_registry(World().make, RegistryLimits(ask_timeout_s=7)) as registry:
        with pytest.raises(AskTimedOut):
            await registry.ask("a", Hold())
    assert trio.current_time() == pytest.approx(7)


async def test_an_infinite_timeout_leaves_the_callers_own(autojump_clock: trio.testing.MockClock) -> None:
    async with open_registry(World().make) as registry:
        with trio.move_on_after(1_000) as scope:
            await registry.ask("a", Hold(), timeout_s=math.inf)
        assert scope.cancelled_caught


async def test_an_expired_ask_is_skipped_unhandled(autojump_clock: trio.testing.MockClock) -> None:
    """Rule 6: work that nobody waits for any more is not begun."""
    world = World()
    async with open_registry(world.make) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(registry.ask, "a", Block())
        await wait_all_tasks_blocked()
        with trio.move_on_after(1):
            await registry.ask("a", Add(1))
        with pytest.raises(AskTimedOut):
            await registry.ask("a", Add(10), timeout_s=1)
        world.gate.set()
        assert await registry.ask("a", Add(100)) == 100
        assert registry.counts.skipped == 2


async def test_an_ask_whose_deadline_was_extended_does_not_hang(mock_clock: trio.testing.MockClock) -> None:
    """The envelope carries the deadline of the moment; skipping it must still answer who now waits longer."""
    world = World()
    refused = trio.Event()
    scope = trio.CancelScope(deadline=trio.current_time() + 1)
    async with open_registry(world.make) as registry, trio.open_nursery() as nursery:

        async def ask() -> None:
            with scope, pytest.raises(AskTimedOut, match="before it was begun"):
                await registry.ask("a", Add(1))
            refused.set()

        nursery.start_soon(registry.ask, "a", Block())
        await wait_all_tasks_blocked()
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        scope.deadline = math.inf
        mock_clock.jump(2)
        world.gate.set()
        await refused.wait()


async def test_a_cancelled_asker_is_not_an_error(nursery: trio.Nursery) -> None:
    world = World()
    scope = trio.CancelScope()
    async with open_registry(world.make) as registry:

        async def ask() -> None:
            with scope:
                await registry.ask("a", Hold())

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        scope.cancel()
        await wait_all_tasks_blocked()
        assert world.probes[0].held[0].abandoned
        assert not world.probes[0].held[0].send("late")
        assert registry.activations()[0].open_replies == 0


async def test_a_full_inbox_refuses_an_ask_and_makes_a_tell_wait(nursery: trio.Nursery) -> None:
    world = World()
    async with open_registry(world.make, RegistryLimits(mailbox_size=1)) as registry:
        nursery.start_soon(registry.ask, "a", Block())
        await wait_all_tasks_blocked()
        await registry.tell("a", Note("first"))
        with pytest.raises(MailboxFull):
            await registry.ask("a", Add(1))
        nursery.start_soon(registry.tell, "a", Note("second"))
        await wait_all_tasks_blocked()
        world.gate.set()
        await wait_all_tasks_blocked()
    assert world.notes == ["first", "second"]


async def test_an_actor_that_waits_for_itself_is_told_at_once() -> None:
    """Traps T10 and T11: without this the ask would end only with its deadline."""
    async with open_registry(World().make) as registry:

        async def ask_registry(probe: Probe) -> str:
            with pytest.raises(RuntimeError, match="own inbox"):
                await registry.ask("a", Add(1))
            with pytest.raises(RuntimeError, match="own inbox"):
                await registry.tell("a", Note("x"))
            with pytest.raises(RuntimeError, match="own inbox"):
                await probe.context.ask(Add(1))
            return "told"

        assert await registry.ask("a", Call(ask_registry)) == "told"


async def test_close_refuses_new_work_and_fails_open_asks(nursery: trio.Nursery) -> None:
    """Rule 1, at the end of everything."""
    failed: list[str] = []
    async with open_registry(World().make) as registry:

        async def ask() -> None:
            with pytest.raises(ActorStopped):
                await registry.ask("a", Hold())
            failed.append("deferred")

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        await registry.close()
        assert registry.active_keys() == []
        with pytest.raises(Draining):
            await registry.ask("a", Add(1))
        with pytest.raises(Draining):
            await registry.tell("a", Note("x"))
        await registry.close()
    assert failed == ["deferred"]


async def test_close_lets_the_message_in_hand_finish(nursery: trio.Nursery) -> None:
    world = World()
    answers: list[str] = []
    async with open_registry(world.make) as registry:

        async def block() -> None:
            answers.append(await registry.ask("a", Block()))

        async def queue() -> None:
            with pytest.raises(ActorStopped):
                await registry.ask("a", Add(1))
            answers.append("queued one failed")

        nursery.start_soon(block)
        await wait_all_tasks_blocked()
        nursery.start_soon(queue)
        await wait_all_tasks_blocked()
        nursery.start_soon(registry.close)
        await wait_all_tasks_blocked()
        assert answers == []
        world.gate.set()
        await wait_all_tasks_blocked()
    assert sorted(answers) == ["done", "queued one failed"]


async def test_children_end_with_the_last_message(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """An actor that finished its message in hand is done; it does not hold the close for the whole grace."""
    world = World()

    async def start_child_and_block(probe: Probe) -> None:
        probe.context.start_soon(trio.sleep_forever)
        await world.gate.wait()

    async with open_registry(world.make) as registry:
        nursery.start_soon(registry.ask, "a", Call(start_child_and_block))
        await wait_all_tasks_blocked()
        world.gate.set()
        await registry.close()
        assert trio.current_time() == pytest.approx(0)


async def test_a_close_during_recovery_handles_nothing_any_more(nursery: trio.Nursery) -> None:
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make) as registry:
        await registry.tell("a", Note("too late"))
        await wait_all_tasks_blocked()
        nursery.start_soon(registry.close)
        await wait_all_tasks_blocked()
        world.recovery_gate.set()
        await wait_all_tasks_blocked()
        assert registry.active_keys() == []
    assert world.notes == []
    assert registry.counts.dead_letters == 1


async def test_close_cancels_what_does_not_finish(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    failed = trio.Event()
    async with open_registry(World().make, RegistryLimits(close_grace_s=3)) as registry:

        async def block() -> None:
            with pytest.raises(ActorStopped):
                await registry.ask("a", Block())
            failed.set()

        nursery.start_soon(block)
        await wait_all_tasks_blocked()
        await registry.close()
        assert trio.current_time() == pytest.approx(3)
        await failed.wait()


async def test_close_ends_an_actor_that_has_not_run_yet() -> None:
    world = World()
    async with open_registry(world.make, RegistryLimits(close_grace_s=0)) as registry:
        await registry.tell("a", Note("x"))
        await registry.close()
    assert world.probes == []
    assert registry.counts.dead_letters == 1


async def test_when_the_body_is_cancelled_no_asker_outside_hangs(nursery: trio.Nursery) -> None:
    """Trap T27 hits the actors; their askers must hear of it."""
    scope = trio.CancelScope()
    heard = trio.Event()

    async def serve(task_status: trio.TaskStatus[object]) -> None:
        with scope:
            async with open_registry(World().make) as registry:
                task_status.started(registry)
                await trio.sleep_forever()

    registry = await nursery.start(serve)

    async def ask() -> None:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Hold())
        heard.set()

    nursery.start_soon(ask)
    await wait_all_tasks_blocked()
    scope.cancel()
    await heard.wait()
    with pytest.raises(Draining):
        await registry.ask("a", Add(1))
