"""Turns of plain functions, in threads of their own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.agents import bridge
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.errors import TooMany
from placet.actors.protocol.limits import Limits
from placet.actors.session import open_sessions
from placet.actors.store import Store
from tests.session.house import services_for, settled, submission

if TYPE_CHECKING:
    from placet.actors.agents import BlockingTurn

pytestmark = pytest.mark.thread


async def test_a_thread_that_is_left_behind_still_counts(monkeypatch) -> None:
    monkeypatch.setattr(bridge, "ABANDON_AFTER_S", 0.01)
    started, go_on = threading.Event(), threading.Event()

    def stuck(turn: BlockingTurn) -> str:
        started.set()
        go_on.wait(10)
        return turn.input

    limits = Limits(agent_threads=1)
    services = services_for(stuck, Store.inline(), limits, blocking=True)
    async with open_sessions(services) as sessions:
        first = await sessions.ask("s", submission())
        await trio.to_thread.run_sync(started.wait)
        await sessions.ask("s", c.Stop(admission_id=first.admission_id, by="ann"))
        assert (await settled(sessions, first)).outcome is e.Outcome.CANCELLED
        with pytest.raises(TooMany):
            await sessions.ask("t", submission(run_id="run_2"))
        go_on.set()
        free = trio.Event()
        services.room.when_free("t", free.set)
        await free.wait()
        second = await sessions.ask("t", submission(run_id="run_2"))
        assert (await settled(sessions, second)).outcome is e.Outcome.COMPLETED
