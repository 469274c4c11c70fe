"""An agent that plays the script of the system tests, and beside it asks in words, thinks, and says what would harm a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.agents import replayable
from tests.system.agents.script import opaque

if TYPE_CHECKING:
    from placet.actors.agents import Turn

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202edne\r"


@replayable
async def talker(turn: Turn) -> str | None:
    """`which way` asks in words, `hostile` says control characters, `think` thinks first; all else is a script."""
    if turn.input == "which way":
        return f"went {await turn.ask('Which way?', ('left', 'right'))}"
    if turn.input == "hostile":
        await turn.request_approval(command=f"ls {HOSTILE}", description=HOSTILE, pattern_key="test")
        return f"said {HOSTILE}"
    if turn.input == "think":
        await turn.think("hm, hm")
        return "thought"
    await opaque(turn)
    return None
