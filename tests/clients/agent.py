"""The agent that every client talks to: it asks once, and says how it was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.actors.agents import Turn


async def asking(turn: Turn) -> None:
    """Says a few words, asks, and goes on with what was decided."""
    await turn.say("May I? ")
    decision = await turn.request_approval(command="rm -rf ./x", description="It deletes.", pattern_key="rm")
    await turn.say("Yes: it is done ✓." if decision.approved else "No: it is left as it was.")
