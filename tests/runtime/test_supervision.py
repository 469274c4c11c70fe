"""Restart intensity and quarantine, on a clock that the test moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.protocol.errors import ActorStopped
from placet.actors.runtime import RegistryLimits, Supervisor

if TYPE_CHECKING:
    from trio.testing import MockClock

LIMITS = RegistryLimits(restart_intensity=3, restart_window_s=60, quarantine_base_s=5, quarantine_max_s=15)


def crash(supervisor: Supervisor, times: int = 1) -> None:
    for _ in range(times):
        supervisor.record_crash("a")


async def test_fewer_crashes_than_the_intensity_are_forgiven() -> None:
    supervisor = Supervisor(LIMITS)
    crash(supervisor, 2)
    supervisor.admit("a")
    assert supervisor.quarantine_left_s("a") == 0


async def test_crashes_far_apart_are_forgiven(autojump_clock: MockClock) -> None:
    supervisor = Supervisor(LIMITS)
    for _ in range(10):
        crash(supervisor)
        supervisor.admit("a")
        await trio.sleep(30)


async def test_the_intensity_within_the_window_is_a_quarantine(autojump_clock: MockClock) -> None:
    supervisor = Supervisor(LIMITS)
    crash(supervisor, 2)
    await trio.sleep(59)
    crash(supervisor)
    with pytest.raises(ActorStopped) as refused:
        supervisor.admit("a")
    assert refused.value.retry_after_s == 5
    supervisor.admit("b")
    await trio.sleep(5)
    supervisor.admit("a")


async def test_after_a_quarantine_one_crash_doubles_it_up_to_the_bound(autojump_clock: MockClock) -> None:
    supervisor = Supervisor(LIMITS)
    crash(supervisor, 3)
    lengths: list[float] = []
    for _ in range(4):
        lengths.append(supervisor.quarantine_left_s("a"))
        await trio.sleep(lengths[-1])
        supervisor.admit("a")
        crash(supervisor)
    assert lengths == pytest.approx([5, 10, 15, 15])


async def test_a_window_without_a_crash_clears_the_record(autojump_clock: MockClock) -> None:
    supervisor = Supervisor(LIMITS)
    crash(supervisor, 3)
    await trio.sleep(5 + 60)
    crash(supervisor, 2)
    supervisor.admit("a")


async def test_records_of_those_that_recovered_are_dropped(autojump_clock: MockClock) -> None:
    """Otherwise whoever can crash actors under many keys could fill the memory."""
    supervisor = Supervisor(LIMITS)
    for number in range(100):
        supervisor.record_crash(f"key-{number}")
    supervisor.forget_recovered()
    assert len(supervisor._records) == 100
    await trio.sleep(60)
    supervisor.forget_recovered()
    assert len(supervisor._records) == 0
