"""An agent that does nothing itself: each line of its input is a command that a child of its own runs, all side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from placet.actors.agents import Refusal, replayable, run_guarded

if TYPE_CHECKING:
    from placet.actors.agents import Turn


@replayable
async def parent(turn: Turn) -> str:
    """Hands out the lines and says what came of them, in their order."""
    commands = turn.input.splitlines()
    came: dict[str, str] = {}

    async def hand_out(command: str) -> None:
        came[command] = await turn.delegate(child, command)

    async with trio.open_nursery() as nursery:
        for command in commands:
            nursery.start_soon(hand_out, command)
    return ", ".join(came[command] for command in commands)


@replayable
async def child(turn: Turn) -> str:
    """Runs one command, past the guard."""
    result = await run_guarded(turn, turn.input)
    return f"{'refused' if isinstance(result, Refusal) else 'ran'} {turn.input}"
