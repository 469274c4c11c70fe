"""The two agents of the contract: each asks once, notes what was chosen in the file that `DECISIONS` names, and says ok."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.actors.agents import BlockingTurn, Turn
    from placet.actors.protocol.approvals import Decision


def blocking(turn: BlockingTurn) -> str:
    """Asks from a thread."""
    _note(turn.request_approval(command="rm -rf /tmp/x", description="dangerous", pattern_key="rm"))
    return "ok"


async def asynchronous(turn: Turn) -> str:
    """Asks from a task."""
    _note(await turn.request_approval(command="rm -rf /tmp/x", description="dangerous", pattern_key="rm"))
    return "ok"


def _note(decision: Decision) -> None:
    with Path(os.environ["DECISIONS"]).open("a") as file:
        file.write(f"{decision.choice}\n")
