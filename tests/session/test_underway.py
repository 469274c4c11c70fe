"""Where the runs are that have not ended."""

from __future__ import annotations

import trio

from placet.actors.agents import Turn
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.session import RunPlace
from placet.actors.store import Store
from tests.session.house import open_house, settled, submission, watch_until


async def waits(turn: Turn) -> str:
    return str((await turn.request_approval(command="rm x", description="d")).choice)


async def test_a_run_is_known_under_all_its_names_until_it_has_ended(autojump_clock) -> None:
    async with open_house(waits) as sessions:
        underway = sessions.services.underway
        first = await sessions.ask("s", submission(key="k"))
        await sessions.ask("s", submission(run_id="run_again", key="k"))  # an exact retry
        queued = await sessions.ask("s", submission("then", run_id="run_2"))
        place = RunPlace("s", first.admission_id, "api")
        assert [underway.find(run_id) for run_id in ("run_1", "run_again")] == [place, place]
        assert underway.find("run_2") == RunPlace("s", queued.admission_id, "api")
        await sessions.ask("s", c.Stop(admission_id=first.admission_id, by="api"))
        await settled(sessions, first)
        assert [underway.find(run_id) for run_id in ("run_1", "run_again", "other")] == [None] * 3
        await sessions.ask("s", c.Stop(admission_id=queued.admission_id, by="api"))
        await settled(sessions, queued)
        await sessions.ask(
            "s", submission(run_id="run_late", key="k")
        )  # a retry of what has ended names it anew
        assert len(underway) == 0


async def test_nothing_is_left_of_a_session_that_leaves_while_its_turn_waits(autojump_clock) -> None:
    store = Store.inline()
    async with open_house(waits, store=store, replayable=True) as sessions:
        underway = sessions.services.underway
        await watch_until(await sessions.ask("s", submission()), e.ApprovalOpened)
        assert len(underway) == 1
        hurry = trio.Event()
        hurry.set()
        await sessions.drain(hurry)
    assert len(underway) == 0
