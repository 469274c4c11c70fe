"""Calls of one model message run side by side: a replay may come to them in another order than before the crash."""

from __future__ import annotations

import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.agents import Turn
from placet.actors.protocol import events as e
from placet.actors.store import Store
from tests.session.house import open_house, submission, watch_until


async def test_calls_may_come_in_another_order_after_a_crash(autojump_clock: trio.testing.MockClock) -> None:
    """The first call had asked when the server died, the second had not begun; then the second comes first."""
    store = Store.inline()
    order = ["c1"]

    async def agent(turn: Turn) -> str:
        async with trio.open_nursery() as nursery:
            for call_id in order:
                nursery.start_soon(ask, turn, call_id)
                await wait_all_tasks_blocked()
        return "done"

    async def ask(turn: Turn, call_id: str) -> None:
        await turn.request_approval(command=f"rm {call_id}", description="d", call_id=call_id)

    async with open_house(agent, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
    order[:] = ["c2", "c1"]
    async with open_house(agent, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        rows = await store.approvals_of(admitted.admission_id)
    assert sorted((row.prompt.command, row.status.value) for row in rows) == [
        ("rm c1", "open"),
        ("rm c2", "open"),
    ]
