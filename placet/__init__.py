"""Placet: AI-agent sessions with a human in the loop, behind an OpenAI-compatible streaming API.

What stands here is what an agent is written with; the server is the command `placet serve`. A name is loaded when it is first used,
so that a part of Placet, such as the actor runtime, can be used without the rest.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placet.actors.agents import BlockingTurn, Turn, TurnCancelled, current_turn, replayable
    from placet.actors.protocol.approvals import Decision

try:
    __version__ = version("placet")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "0.1.0"

__all__ = ["BlockingTurn", "Decision", "Turn", "TurnCancelled", "__version__", "current_turn", "replayable"]

_AGENTS = "placet.actors.agents"
_HOME = dict.fromkeys(("BlockingTurn", "Turn", "TurnCancelled", "current_turn", "replayable"), _AGENTS) | {
    "Decision": "placet.actors.protocol.approvals"
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
