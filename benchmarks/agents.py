"""Agents that the benchmarks run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import trio

from placet import replayable

if TYPE_CHECKING:
    from placet import BlockingTurn, Turn

COMMAND = "rm -rf build"


async def speaks(turn: Turn) -> str:
    """Asks, and after a yes says what `bursts size pause_ms` tells it: so many bursts of so many events each.

    Every other piece is a thought, since neighbouring pieces of one kind may become one event.
    """
    await turn.request_approval(command=COMMAND, description="it begins to speak")
    bursts, size, pause_ms = map(int, turn.input.split())
    for burst in range(bursts):
        for place in range(size):
            await (turn.think if (burst * size + place) % 2 else turn.say)("word ")
        await trio.sleep(pause_ms / 1000)
    return ""


@replayable
async def waits(turn: Turn) -> str:
    """Asks and waits. The prompt says when it was raised, in nanoseconds of the machine's monotonic clock."""
    description = f"raised at {time.monotonic_ns()} it deletes files"
    decision = await turn.request_approval(command=COMMAND, description=description)
    return decision.outcome.value


async def asks_in_vain(turn: Turn) -> str:
    """Asks, and takes no answer for an answer soon."""
    decision = await turn.request_approval(command=COMMAND, description="it deletes files", timeout_s=0.01)
    return decision.outcome.value


def waits_in_thread(turn: BlockingTurn) -> str:
    """Asks and waits, in a thread."""
    return turn.request_approval(command=COMMAND, description="it deletes files").outcome.value
