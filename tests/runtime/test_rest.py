"""Rule 7: when an actor is put to rest, and when not."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from placet.actors.runtime import Registry, RegistryLimits, open_registry
from tests.runtime.probe import Add, Block, BlockNote, Call, Hold, Note, Probe, World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LIMITS = RegistryLimits(idle_after_s=60, sweep_every_s=10, close_grace_s=0)


async def rest(seconds: float) -> None:
    """Let time pass, and whoever it wakes run."""
    await trio.sleep(seconds)
    await wait_all_tasks_blocked()


async def test_an_idle_actor_rests_and_comes_back_on_demand(autojump_clock: MockClock) -> None:
    world = World()
    async with open_registry(world.make, LIMITS) as registry:
        await registry.ask("a", Add(1))
        await rest(59)
        assert registry.active_keys() == ["a"]
        await rest(12)
        assert registry.active_keys() == []
        assert registry.counts.passivations == 1
        assert await registry.ask("a", Add(1)) == 1
    assert len(world.probes) == 2


async def test_a_message_restarts_the_idle_time(autojump_clock: MockClock) -> None:
    async with open_registry(World().make, LIMITS) as registry:
        for _ in range(4):
            await registry.tell("a", Note("still here"))
            await rest(55)
        assert registry.counts.activations == 1


async def test_an_actor_that_is_not_quiet_stays(autojump_clock: MockClock) -> None:
    world = World(quiet=False)
    async with open_registry(world.make, LIMITS) as registry:
        await registry.ask("a", Add(1))
        await rest(600)
        assert registry.active_keys() == ["a"]
        world.quiet = True
        await rest(20)
        assert registry.active_keys() == []


async def test_an_actor_is_never_rested_in_the_middle_of_a_message(autojump_clock: MockClock) -> None:
    """Trap T7: while the handler awaits the store, the state may look quiet; the asker would hang."""
    world = World()
    async with open_registry(world.make, LIMITS) as registry, trio.open_nursery() as nursery:
        answers: list[str] = []

        async def ask() -> None:
            answers.append(await registry.ask("a", Block(), timeout_s=10_000))

        nursery.start_soon(ask)
        await rest(600)
        assert registry.active_keys() == ["a"]
        world.gate.set()
        await wait_all_tasks_blocked()
        assert answers == ["done"]


async def test_nor_in_the_middle_of_a_notice(autojump_clock: MockClock) -> None:
    """Trap T7 again: here no open reply betrays that a message is in hand."""
    world = World()
    async with open_registry(world.make, LIMITS) as registry:
        await registry.tell("a", BlockNote())
        await rest(600)
        assert registry.active_keys() == ["a"]
        world.gate.set()


async def test_an_actor_that_recovers_slowly_is_not_rested(autojump_clock: MockClock) -> None:
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make, LIMITS) as registry:
        await registry.tell("a", Note("x"))
        await rest(600)
        assert registry.active_keys() == ["a"]


async def test_an_open_reply_keeps_its_actor_awake(autojump_clock: MockClock) -> None:
    """An open approval is a deferred reply; the runtime sees it even if `is_quiet` forgets it."""
    world = World()
    async with open_registry(world.make, LIMITS) as registry, trio.open_nursery() as nursery:

        async def ask() -> None:
            assert await registry.ask("a", Hold(), timeout_s=3_600) == "yes"

        nursery.start_soon(ask)
        await rest(600)
        world.probes[0].held[0].send("yes")
        await rest(20)
        assert registry.active_keys() == []


async def test_a_child_task_keeps_its_actor_awake(autojump_clock: MockClock) -> None:
    """A child's cleanup must not overlap with the next activation."""

    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(trio.sleep, 600)

    async with open_registry(World().make, LIMITS) as registry:
        await registry.ask("a", Call(start_child))
        await rest(599)
        assert registry.active_keys() == ["a"]
        await rest(30)
        assert registry.active_keys() == []


async def test_above_the_bound_the_longest_idle_rest_first(autojump_clock: MockClock) -> None:
    limits = RegistryLimits(max_active=2, sweep_every_s=10)
    async with open_registry(World().make, limits) as registry:
        for key in "abcd":
            await registry.ask(key, Add(1))
            await rest(1)
        await registry.ask("a", Add(1))
        await rest(10)
        assert sorted(registry.active_keys()) == ["a", "d"]


async def test_above_the_bound_busy_actors_stay(autojump_clock: MockClock) -> None:
    world = World(quiet=False)
    async with open_registry(world.make, RegistryLimits(max_active=1, sweep_every_s=10)) as registry:
        for key in "abc":
            await registry.ask(key, Add(1))
        await rest(20)
        assert len(registry.active_keys()) == 3


async def test_a_message_in_the_instant_of_resting_finds_a_new_actor_that_stays(
    autojump_clock: MockClock,
) -> None:
    """Resting and leaving the table are one step; and the old task, on its way out, must not remove its successor."""
    world = World()
    async with open_registry(world.make, RegistryLimits(idle_after_s=0)) as registry:
        await registry.ask("a", Add(5))
        await (
            registry._sweep()
        )  # one actor is less than a batch: no checkpoint, so the old task has not run yet
        assert await registry.ask("a", Add(1)) == 1
        await wait_all_tasks_blocked()
        assert registry.active_keys() == ["a"]
        assert await registry.ask("a", Add(1)) == 2
    assert len(world.probes) == 2


async def test_the_sweep_lets_others_run(autojump_clock: MockClock) -> None:
    """Trap T13: with thousands of actors one uninterrupted sweep would stall every stream."""
    world = World()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await trio.lowlevel.checkpoint()
            ticks += 1

    async with (
        open_registry(world.make, RegistryLimits(idle_after_s=0)) as registry,
        trio.open_nursery() as nursery,
    ):
        for number in range(100):
            await registry.ask(f"actor-{number}", Add(1))
        nursery.start_soon(tick)
        ticks = 0
        await registry._sweep()
        nursery.cancel_scope.cancel()
    assert registry.counts.passivations == 100
    assert ticks >= 3  # five batches of twenty, less the ends, for trio shuffles each round (trap T12)


async def test_an_error_in_is_quiet_crashes_that_actor_alone(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    async with open_registry(world.make, LIMITS) as registry:
        await registry.ask("a", Add(1))
        world.quiet_error = KeyError("bug")
        await rest(75)
        assert registry.active_keys() == []
        assert registry.counts.crashes == 1
        assert await registry.ask("a", Add(1)) == 1
    assert "actor a crashed" in caplog.text


async def test_a_rested_actor_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    """Nor does it wait for the collector: at ten thousand actors its passes would be stalls."""
    world = World()
    async with open_registry(world.make, LIMITS) as registry:
        await registry.ask("a", Add(1))
        probe = weakref.ref(world.probes.pop())
        assert probe() is not None
        gc.disable()
        try:
            await rest(75)
            assert probe() is None
        finally:
            gc.enable()


def _tasks_of(registry: Registry) -> int:
    return len(registry._nursery.child_tasks)


@pytest.mark.parametrize("end", [Registry.close, Registry._sweep])
async def test_ended_actors_leave_no_task(
    end: Callable[[Registry], Awaitable[None]], autojump_clock: MockClock
) -> None:
    async with open_registry(World().make, RegistryLimits(idle_after_s=0)) as registry:
        for key in "abc":
            await registry.ask(key, Add(1))
        assert _tasks_of(registry) == 4
        await end(registry)
        await wait_all_tasks_blocked()
        assert _tasks_of(registry) == 1
