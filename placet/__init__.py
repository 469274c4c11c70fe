"""Placet: AI-agent sessions with a human in the loop, behind an OpenAI-compatible streaming API.

What stands here is what an agent is written with; the server is the command `placet serve`.
"""

from importlib.metadata import PackageNotFoundError, version

from placet.actors.agents import BlockingTurn, Turn, TurnCancelled, current_turn, replayable
from placet.actors.protocol.approvals import Decision

try:
    __version__ = version("placet")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "0.1.0"

__all__ = ["BlockingTurn", "Decision", "Turn", "TurnCancelled", "__version__", "current_turn", "replayable"]
