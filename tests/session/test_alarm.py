"""The alarm clock of all sessions."""

from __future__ import annotations

from functools import partial

import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.session.alarm import _SPARE, Alarm
from tests.session.house import wall_clock


def running(nursery: trio.Nursery) -> Alarm:
    alarm = Alarm(wall_clock)
    nursery.start_soon(alarm.run)
    return alarm


async def test_each_is_called_at_its_time_whatever_the_order_of_asking(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    begun, told = wall_clock(), list[tuple[str, float]]()

    def tell(key: str) -> None:
        told.append((key, wall_clock() - begun))

    for key, after_s in (("third", 30), ("first", 10), ("second", 20)):
        alarm.remind(key, begun + after_s, partial(tell, key))
        await wait_all_tasks_blocked()
    await trio.sleep(31)
    assert told == [("first", 10), ("second", 20), ("third", 30)]


async def test_what_is_past_is_called_at_once(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    told: list[int] = []
    alarm.remind("a", wall_clock() - 5, partial(told.append, 1))
    await wait_all_tasks_blocked()
    assert told == [1]


async def test_what_is_forgotten_is_not_called(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    told: list[int] = []
    alarm.remind("a", wall_clock() + 5, partial(told.append, 1))
    alarm.remind("b", wall_clock() + 6, partial(told.append, 2))
    alarm.forget("a")
    alarm.forget("a")
    await trio.sleep(7)
    assert told == [2]


async def test_a_later_reminder_takes_the_place_of_an_earlier_one(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    told: list[int] = []
    alarm.remind("a", wall_clock() + 5, partial(told.append, 1))
    alarm.remind("a", wall_clock() + 10, partial(told.append, 2))
    await trio.sleep(6)
    assert told == []
    await trio.sleep(5)
    assert told == [2]


async def test_whoever_is_called_may_ask_to_be_called_again(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    told: list[int] = []

    def tell() -> None:
        told.append(1)
        if len(told) < 3:
            alarm.remind("a", wall_clock() + 1, tell)

    alarm.remind("a", wall_clock() + 1, tell)
    await trio.sleep(5)
    assert told == [1, 1, 1]


async def test_a_clock_that_was_set_back_delays_the_call(nursery, autojump_clock) -> None:
    slow_by = 0.0
    alarm = Alarm(lambda: wall_clock() - slow_by)
    nursery.start_soon(alarm.run)
    told: list[int] = []
    alarm.remind("a", wall_clock() + 5, partial(told.append, 1))
    await wait_all_tasks_blocked()
    slow_by = 10.0
    await trio.sleep(6)
    assert told == []
    await trio.sleep(10)
    assert told == [1]


async def test_what_was_forgotten_takes_no_room_for_long(nursery, autojump_clock) -> None:
    """A prompt may be answered in a second and be due in an hour."""
    alarm = running(nursery)
    for number in range(1000):
        alarm.remind(f"{number}", wall_clock() + 3600, lambda: None)
        alarm.forget(f"{number}")
    assert len(alarm._times) < 100


async def test_what_is_put_off_again_and_again_takes_no_room_for_long(nursery, autojump_clock) -> None:
    alarm = running(nursery)
    told: list[int] = []
    for number in range(1000):
        alarm.remind("a", wall_clock() + 1000 + number, partial(told.append, number))
    assert len(alarm._times) <= 2 + _SPARE
    await trio.sleep(2000)
    assert told == [999]
