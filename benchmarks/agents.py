"""Agents that the benchmarks run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet import BlockingTurn, Turn


async def waits(turn: Turn) -> str:
    """Asks and waits."""
    decision = await turn.request_approval(command="rm -rf build", description="it deletes files")
    return decision.outcome.value


def waits_in_thread(turn: BlockingTurn) -> str:
    """Asks and waits, in a thread."""
    return turn.request_approval(command="rm -rf build", description="it deletes files").outcome.value
