"""Looking in from outside: snapshots, the task tree, the loop lag."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from placet.actors.runtime import Lag, LoopLagMonitor, open_registry, snapshot, task_tree
from tests.runtime.probe import Add, Block, Call, Hold, Note, Probe, World


async def test_a_snapshot_tells_what_each_actor_does(autojump_clock: MockClock) -> None:
    world = World()

    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(trio.sleep_forever)

    async with open_registry(world.make) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(registry.ask, "holds", Hold())
        nursery.start_soon(registry.ask, "blocks", Block())
        nursery.start_soon(registry.ask, "parent", Call(start_child))
        await trio.sleep(3)
        await registry.tell("blocks", Note("waits"))
        await registry.ask("parent", Add(1))
        await trio.sleep(2)
        blocks, holds, parent = snapshot(registry)
        assert (blocks.key, blocks.state, blocks.inbox_depth) == ("blocks", "handling Block", 1)
        assert blocks.open_replies == 1
        assert (holds.key, holds.state, holds.open_replies) == ("holds", "parked", 1)
        assert holds.idle_s == pytest.approx(5)
        assert (parent.key, parent.state, parent.children) == ("parent", "parked", 1)
        assert parent.age_s == pytest.approx(5)
        assert parent.idle_s == pytest.approx(2)
        assert parent.task_name == "actor parent"
        world.gate.set()
        (held,) = (probe.held[0] for probe in world.probes if probe.held)
        assert held.send("yes")


async def test_a_snapshot_shows_recovery_and_ending(nursery: trio.Nursery) -> None:
    world = World(recovery_gate=trio.Event())
    async with open_registry(world.make) as registry:
        await registry.tell("a", Note("x"))
        await wait_all_tasks_blocked()
        assert [actor.state for actor in snapshot(registry)] == ["recovering"]
        nursery.start_soon(registry.close)
        await wait_all_tasks_blocked()
        assert [actor.state for actor in snapshot(registry)] == ["ending"]
        world.recovery_gate.set()


async def test_the_task_tree_shows_every_task_below_its_parent_and_where_it_waits() -> None:
    async def start_child(probe: Probe) -> None:
        probe.context.start_soon(wait_here, name="turn")

    async def wait_here() -> None:
        await trio.sleep_forever()

    async with open_registry(World().make) as registry:
        await registry.ask("a", Call(start_child))
        await wait_all_tasks_blocked()
        lines = task_tree().splitlines()
        (actor,) = (line for line in lines if "actor a " in line)
        (turn,) = (line for line in lines if "turn " in line)
        assert "[mailbox.py:" in actor
        assert "[test_inspect.py:" in turn
        assert turn.endswith("wait_here]")
        assert lines.index(turn) == lines.index(actor) + 1
        assert len(turn) - len(turn.lstrip()) == len(actor) - len(actor.lstrip()) + 2
        assert not any("/" in line.split("[")[1] for line in lines)


async def test_the_task_tree_may_start_anywhere(nursery: trio.Nursery) -> None:
    async def wait_here() -> None:
        await trio.sleep_forever()

    nursery.start_soon(wait_here, name="only one")
    await wait_all_tasks_blocked()
    (task,) = (task for task in nursery.child_tasks if task.name == "only one")
    tree = task_tree(task)
    assert tree.startswith("only one  [test_inspect.py:")
    assert len(tree.splitlines()) == 1


async def test_lag_is_how_late_a_sleeper_wakes(mock_clock: MockClock, nursery: trio.Nursery) -> None:
    monitor = LoopLagMonitor(probe_every_s=1, window=100)
    nursery.start_soon(monitor.run)
    await wait_all_tasks_blocked()
    for late_s in [0.0] * 98 + [0.5, 3.0]:
        mock_clock.jump(1 + late_s)
        await wait_all_tasks_blocked()
    lag = monitor.read()
    assert lag.samples == 100
    assert lag.p50_s == pytest.approx(0, abs=1e-6)
    assert lag.p99_s == pytest.approx(0.5)
    assert lag.max_s == pytest.approx(3)
    mock_clock.jump(1)
    await wait_all_tasks_blocked()
    assert monitor.read().samples == 100


def test_without_samples_the_lag_is_nil() -> None:
    assert LoopLagMonitor().read() == Lag(p50_s=0, p99_s=0, max_s=0, samples=0)
