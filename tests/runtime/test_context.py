"""Rule 3: what an actor's children may do, and how they talk back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from placet.actors.protocol.errors import ActorStopped, AskTimedOut
from placet.actors.runtime import ActorContext, RegistryLimits, open_registry, task_tree
from tests.runtime.probe import Add, Block, Call, Crash, Hold, Note, Probe, World

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.runtime import Registry


async def test_a_child_asks_and_tells_its_own_actor() -> None:
    """Trap T11: the loop never waits for the child; the child comes through the inbox like everybody."""
    world, totals = World(), list[int]()

    async def turn(context: ActorContext) -> None:
        await context.tell(Note("from the turn"))
        totals.append(await context.ask(Add(2)))

    async def start(probe: Probe) -> str:
        probe.context.start_soon(turn, probe.context, name="turn 7")
        assert "turn 7" in task_tree()
        return probe.context.key

    async with open_registry(world.make) as registry:
        assert await registry.ask("a", Call(start)) == "a"
        await wait_all_tasks_blocked()
        assert world.notes == ["from the turn"]
        assert totals == [2]


async def test_a_childs_ask_has_no_limit_of_its_own(autojump_clock: MockClock) -> None:
    """A person may take an hour to decide."""
    world, answers = World(), list[str]()

    async def turn(context: ActorContext) -> None:
        answers.append(await context.ask(Hold()))

    async def start(probe: Probe) -> None:
        probe.context.start_soon(turn, probe.context)

    async with open_registry(world.make) as registry:
        await registry.ask("a", Call(start))
        await trio.sleep(3_600)
        world.probes[0].held[0].send("yes")
        await wait_all_tasks_blocked()
        assert answers == ["yes"]


async def test_a_childs_ask_may_have_a_limit(autojump_clock: MockClock) -> None:
    timed_out = trio.Event()

    async def turn(context: ActorContext) -> None:
        with pytest.raises(AskTimedOut):
            await context.ask(Hold(), timeout_s=5)
        timed_out.set()

    async def start(probe: Probe) -> None:
        probe.context.start_soon(turn, probe.context)

    async with open_registry(World().make) as registry:
        await registry.ask("a", Call(start))
        await timed_out.wait()
        assert trio.current_time() == pytest.approx(5)


async def test_children_wait_for_room_where_outsiders_are_refused() -> None:
    world, totals = World(), list[int]()

    async def turn(context: ActorContext) -> None:
        totals.append(await context.ask(Add(1)))

    async def start_many(probe: Probe) -> None:
        for _ in range(5):
            probe.context.start_soon(turn, probe.context)

    async with (
        open_registry(world.make, RegistryLimits(mailbox_size=1)) as registry,
        trio.open_nursery() as nursery,
    ):
        await registry.ask("a", Call(start_many))
        nursery.start_soon(registry.tell, "a", Note("x"))
        await wait_all_tasks_blocked()
    assert sorted(totals) == [1, 2, 3, 4, 5]


async def test_a_childs_cancelled_wait_for_room_leaves_no_request_behind() -> None:
    world = World()
    scope = trio.CancelScope()

    async def turn(context: ActorContext) -> None:
        with scope:
            await context.ask(Add(100))

    async def start_and_fill(probe: Probe) -> None:
        probe.context.post_nowait(Note("fills the inbox"))
        probe.context.start_soon(turn, probe.context)
        await world.gate.wait()

    async with (
        open_registry(world.make, RegistryLimits(mailbox_size=1)) as registry,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(registry.ask, "a", Call(start_and_fill))
        await wait_all_tasks_blocked()
        scope.cancel()
        await wait_all_tasks_blocked()
        world.gate.set()
        await wait_all_tasks_blocked()
        assert await registry.ask("a", Add(1)) == 1


async def test_children_are_cancelled_when_their_actor_ends() -> None:
    ended = trio.Event()

    async def child() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    async def start(probe: Probe) -> None:
        probe.context.start_soon(child)

    async with open_registry(World().make) as registry:
        await registry.ask("a", Call(start))
        await wait_all_tasks_blocked()
        await registry.close()
        assert ended.is_set()


async def test_an_old_context_never_reaches_a_successor() -> None:
    """A child that outlives its purpose must not wake, or speak to, the next activation."""
    world = World()
    async with open_registry(world.make) as registry:
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        old = world.probes[0].context
        await registry.ask("a", Add(1))
        with pytest.raises(ActorStopped):
            await old.ask(Add(1))
        with pytest.raises(ActorStopped):
            await old.tell(Note("x"))
        old.post_nowait(Note("x"))
        with pytest.raises(RuntimeError, match="not running"):
            old.start_soon(trio.sleep, 1)
        assert registry.counts.dead_letters == 1
        assert await registry.ask("a", Add(1)) == 2


async def test_a_handler_posts_to_itself_beyond_the_bound() -> None:
    """With a bounded wait the loop would wait for room that only it can make."""
    world = World()

    async def post_three(probe: Probe) -> None:
        for text in ("1", "2", "3"):
            probe.context.post_nowait(Note(text))

    async with open_registry(world.make, RegistryLimits(mailbox_size=1)) as registry:
        await registry.ask("a", Call(post_three))
        await wait_all_tasks_blocked()
        assert world.notes == ["1", "2", "3"]


async def test_a_timer_is_a_child_that_posts(autojump_clock: MockClock) -> None:
    world = World()

    async def ring(context: ActorContext) -> None:
        await trio.sleep(60)
        context.post_nowait(Note("expired"))

    async def start(probe: Probe) -> None:
        probe.context.start_soon(ring, probe.context)

    async with open_registry(world.make) as registry:
        await registry.ask("a", Call(start))
        await trio.sleep(61)
        assert world.notes == ["expired"]


async def test_the_loop_goes_on_while_a_child_waits() -> None:
    """Trap T11."""

    async def start(probe: Probe) -> None:
        probe.context.start_soon(trio.sleep_forever)

    async with open_registry(World().make) as registry:
        await registry.ask("a", Call(start))
        assert await registry.ask("a", Add(1)) == 1


async def test_messages_keep_their_order_for_each_sender() -> None:
    """Trap T12: only the order of one sender is promised."""
    world = World()
    async with open_registry(world.make, RegistryLimits(mailbox_size=2)) as registry:

        async def send(name: str) -> None:
            for number in range(10):
                await registry.tell("a", Note(f"{name}{number}"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send, "x")
            nursery.start_soon(send, "y")
        await wait_all_tasks_blocked()
    for name in "xy":
        assert [note for note in world.notes if note[0] == name] == [
            f"{name}{number}" for number in range(10)
        ]


async def test_a_crash_of_the_handler_reaches_the_children_who_ask() -> None:
    world, heard = World(), list[str]()

    async def turn(context: ActorContext) -> None:
        try:
            await context.ask(Hold())
        finally:
            heard.append("gone")

    async def start(probe: Probe) -> None:
        probe.context.start_soon(turn, probe.context)

    async with open_registry(world.make) as registry, trio.open_nursery() as nursery:
        await registry.ask("a", Call(start))
        nursery.start_soon(registry.ask, "b", Block())
        await wait_all_tasks_blocked()
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        assert heard == ["gone"]
        world.gate.set()


async def _close(registry: Registry) -> None:
    await registry.close()


async def _crash(registry: Registry) -> None:
    with pytest.raises(ActorStopped):
        await registry.ask("a", Crash())


async def _rest(registry: Registry) -> None:
    await registry._sweep()


@pytest.mark.parametrize("end", [_close, _crash, _rest])
async def test_what_was_asked_for_the_end_happens_once_however_it_ends(
    end: Callable[[Registry], Awaitable[None]],
) -> None:
    """Trap H13: what the actor handed out, such as a broadcast, must not outlive it unclosed."""
    ended: list[str] = []

    async def prepare(probe: Probe) -> None:
        probe.context.on_end(lambda: ended.append(probe.context.key))

    async with open_registry(World().make, RegistryLimits(idle_after_s=0)) as registry:
        await registry.ask("a", Call(prepare))
        await wait_all_tasks_blocked()
        assert ended == []
        await end(registry)
        await wait_all_tasks_blocked()
        assert ended == ["a"]
    assert ended == ["a"]


async def test_an_error_at_the_end_of_one_actor_harms_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def prepare(probe: Probe) -> None:
        probe.context.on_end(lambda: 1 // 0)

    async with open_registry(World().make) as registry:
        await registry.ask("b", Add(1))
        await registry.ask("a", Call(prepare))
        with pytest.raises(ActorStopped):
            await registry.ask("a", Crash())
        assert await registry.ask("b", Add(1)) == 2
    assert "actor a could not clean up" in caplog.text
