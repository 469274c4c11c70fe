"""An agent that asks in every way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.actors.agents import Turn


async def curious(turn: Turn) -> str:
    """Asks for a choice and for words, and lets a child of it ask for approval."""
    colour = await turn.ask("Which colour?", choices=("red", "green"))
    wood = await turn.ask("Which wood?")
    return f"{colour}, {wood}: {await turn.delegate(child, str(wood))}"


async def child(turn: Turn) -> str:
    """Asks for approval."""
    decision = await turn.request_approval(command="rm -rf ./oak", description="It deletes.")
    return decision.outcome.value
