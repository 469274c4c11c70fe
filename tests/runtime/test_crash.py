"""Rule 8 and rule 1: what a crash does, and to whom."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from placet.actors.protocol.errors import ActorStopped
from placet.actors.runtime import RegistryLimits, open_registry
from tests.runtime.probe import Add, Block, Call, Crash, CrashNote, Hold, Note, Probe, World

if TYPE_CHECKING:
    from placet.actors.runtime import Registry, Request


async def stopped(registry: Registry, request: Request[object], heard: list[str]) -> None:
    """Ask, and note that the answer was `ActorStopped`."""
    with pytest.raises(ActorStopped):
        await registry.ask("a", request)
    heard.append(type(request).__name__)


async def test_the_asker_of_a_crashed_handler_hears_of_it(caplog: pytest.LogCaptureFixture) -> None:
    """Trap P2: elsewhere an asker without a timeout hangs for ever."""
    async with open_registry(World().make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
    assert "actor a crashed while handling Crash" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_everyone_who_waits_hears_of_it(nursery: trio.Nursery) -> None:
    """Trap T9: the one in hand, the deferred ones and the queued ones."""
    world, heard = World(), list[str]()

    async def block_then_crash(probe: Probe) -> None:
        await world.gate.wait()
        raise KeyError

    async with open_registry(world.make) as registry:
        for request in (Hold(), Call(block_then_crash), Add(1)):
            nursery.start_soon(stopped, registry, request, heard)
            await wait_all_tasks_blocked()
        world.gate.set()
        await wait_all_tasks_blocked()
        assert sorted(heard) == ["Add", "Call", "Hold"]
        assert registry.counts.crashes == 1


async def test_the_next_message_activates_anew() -> None:
    world = World()
    async with open_registry(world.make) as registry:
        await registry.ask("a", Add(5))
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        assert await registry.ask("a", Add(1)) == 1
        assert len(world.probes) == 2


async def test_other_actors_do_not_notice() -> None:
    async with open_registry(World().make) as registry:
        await registry.ask("b", Add(5))
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        assert await registry.ask("b", Add(1)) == 6


async def test_a_notice_may_crash_it_too_and_the_queued_ones_are_dead_letters() -> None:
    async with open_registry(World().make) as registry:
        await registry.tell("a", CrashNote())
        await registry.tell("a", Note("never read"))
        await wait_all_tasks_blocked()
        assert registry.active_keys() == []
        assert registry.counts.dead_letters == 1


async def test_a_failed_recovery_fails_who_waited() -> None:
    world = World(recover_error=OSError("disk"))
    async with open_registry(world.make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Add(1))
        world.recover_error = None
        assert await registry.ask("a", Add(1)) == 1


async def test_a_factory_that_raises_is_a_crash_of_that_actor() -> None:
    def make(context: object) -> Probe:
        raise LookupError

    async with open_registry(make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Add(1))
        assert registry.counts.crashes == 1


async def test_a_crashed_child_takes_its_actor_along(nursery: trio.Nursery) -> None:
    """Trap T17: the child's error comes as a group, and the handler that waits is cancelled by it."""
    heard: list[str] = []
    gate = trio.Event()

    async def child() -> None:
        await gate.wait()
        raise KeyError("child")

    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(child)

    async with open_registry(World().make) as registry:
        await registry.ask("a", Call(start_child))
        nursery.start_soon(stopped, registry, Block(), heard)
        await wait_all_tasks_blocked()
        gate.set()
        await wait_all_tasks_blocked()
        assert heard == ["Block"]
        assert registry.counts.crashes == 1


async def test_a_crashing_actor_stays_in_the_table_until_its_children_have_ended(
    nursery: trio.Nursery,
) -> None:
    """The code of two activations of one key must never overlap."""
    world, heard = World(), list[str]()

    async def child() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(60, shield=True):
                await world.gate.wait()

    async def crash_with_child(probe: Probe) -> None:
        probe.context.start_soon(child)
        await trio.lowlevel.checkpoint()
        raise KeyError

    async with open_registry(world.make) as registry:
        nursery.start_soon(stopped, registry, Call(crash_with_child), heard)
        await wait_all_tasks_blocked()
        nursery.start_soon(stopped, registry, Add(1), heard)
        await wait_all_tasks_blocked()
        assert registry.active_keys() == ["a"]
        assert len(world.probes) == 1
        world.gate.set()
        await wait_all_tasks_blocked()
        assert sorted(heard) == ["Add", "Call"]


async def test_an_error_together_with_a_cancellation_is_still_logged(
    nursery: trio.Nursery, caplog: pytest.LogCaptureFixture
) -> None:
    """Trap T18: `except Exception` would not see the error, for the group holds a `Cancelled` as well."""
    scope = trio.CancelScope()

    async def fail_when_cancelled() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise KeyError("while cancelled")

    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(fail_when_cancelled)
        probe.context.start_soon(trio.sleep_forever)

    async def serve(task_status: trio.TaskStatus[Registry]) -> None:
        with scope:
            async with open_registry(World().make) as registry:
                task_status.started(registry)
                await trio.sleep_forever()

    registry: Registry = await nursery.start(serve)
    await registry.ask("a", Call(start_child))
    await wait_all_tasks_blocked()
    scope.cancel()
    await wait_all_tasks_blocked()
    assert scope.cancelled_caught
    assert "while cancelled" in caplog.text


async def test_an_interrupt_is_not_a_crash() -> None:
    """What is no `Exception` is not the supervisor's to keep."""

    async def interrupt(probe: Probe) -> None:
        raise KeyboardInterrupt

    crashes: list[int] = []
    with pytest.RaisesGroup(KeyboardInterrupt, flatten_subgroups=True):
        async with open_registry(World().make) as registry:
            with trio.CancelScope(shield=True), pytest.raises(ActorStopped):
                await registry.ask("a", Call(interrupt))
            crashes.append(registry.counts.crashes)
    assert crashes == [0]


async def test_three_crashes_in_a_minute_are_a_quarantine(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    async with open_registry(world.make, RegistryLimits(quarantine_base_s=20)) as registry:
        for _ in range(3):
            with pytest.raises(ActorStopped):
                await registry.ask("a", Crash())
        assert "in quarantine for 20 s" in caplog.text
        with pytest.raises(ActorStopped) as refused:
            await registry.ask("a", Add(1))
        assert refused.value.retry_after_s == 20
        with pytest.raises(ActorStopped):
            await registry.tell("a", Note("x"))
        assert registry.counts.refusals == 2
        assert len(world.probes) == 3
        assert await registry.ask("b", Add(1)) == 1
        await trio.sleep(20)
        assert await registry.ask("a", Add(1)) == 1


async def test_crashes_are_logged_once_and_by_the_runtime(caplog: pytest.LogCaptureFixture) -> None:
    async with open_registry(World().make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
    assert [(record.name, record.levelno) for record in caplog.records] == [("placet.runtime", logging.ERROR)]


async def test_the_record_of_a_crash_is_dropped_in_time(autojump_clock: MockClock) -> None:
    """Otherwise whoever can crash actors under many keys could fill the memory."""
    async with open_registry(World().make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        assert list(registry._supervisor._records) == ["a"]
        await trio.sleep(100)
        assert list(registry._supervisor._records) == []
