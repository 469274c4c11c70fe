"""Those who watch one session."""

from __future__ import annotations

import pytest
import trio

from placet.actors.agents import Turn
from placet.actors.protocol import events as e
from placet.actors.protocol.limits import Limits
from placet.actors.runtime import BroadcastClosed, SubscriptionCut
from placet.actors.session import Services
from placet.actors.session.audience import Audience
from placet.actors.store import Store
from tests.session.house import services_for


async def echoes(turn: Turn) -> str:
    return turn.input


def services(**limits: int) -> Services:
    return services_for(echoes, Store.inline(), Limits(**limits))


def said(seq: int) -> e.Recorded:
    event = e.TextAppended(admission_id="a", generation=1, text="x")
    return e.Recorded(stream="s", seq=seq, position=seq, at=0.0, event=event, size_bytes=10)


async def test_who_watches_is_told_and_nobody_else_is_counted() -> None:
    house = services()
    audience = Audience(house)
    audience.tell(said(1))
    first = audience.watch()
    audience.tell(said(2))
    second = audience.watch()
    audience.tell(said(3))
    assert [item.seq for item in await first.receive()] == [2, 3]
    assert [item.seq for item in await second.receive()] == [3]
    assert (house.streams, audience.is_empty) == (2, False)
    for watcher in (first, first, second):
        watcher.close()
    assert (house.streams, audience.is_empty) == (0, True)


async def test_an_audience_that_all_have_left_holds_nothing_and_is_there_for_the_next() -> None:
    audience = Audience(services())
    audience.watch().close()
    assert audience._broadcast is None
    watcher = audience.watch()
    audience.tell(said(1))
    assert [item.seq for item in await watcher.receive()] == [1]


async def test_whoever_was_let_go_gets_what_it_was_owed_and_then_the_reason() -> None:
    audience = Audience(services())
    watcher = audience.watch()
    audience.tell(said(1))
    audience.let_go("over")
    audience.let_go("a second reason")
    audience.tell(said(2))
    assert [item.seq for item in await watcher.receive()] == [1]
    for each in (watcher, audience.watch()):
        with pytest.raises(BroadcastClosed, match="over"):
            await each.receive()
        each.close()
    with pytest.raises(trio.ClosedResourceError):
        await watcher.receive()


async def test_one_that_is_too_slow_is_cut_and_can_still_learn_of_it_when_all_others_have_left() -> None:
    audience = Audience(services(subscriber_events=2))
    slow, other = audience.watch(), audience.watch()
    for seq in (1, 2, 3):
        audience.tell(said(seq))
    other.close()
    assert audience.is_empty
    with pytest.raises(SubscriptionCut):
        await slow.receive()
    slow.close()
