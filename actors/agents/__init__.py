"""What runs a turn: the interface that agents see, the bridge into threads, the terminal behind its gate, the demo agent."""

from placet.actors.agents.blocking import BlockingToolCall, BlockingTurn
from placet.actors.agents.bridge import ABANDON_AFTER_S, current_turn, run_agent
from placet.actors.agents.gate import Refusal, WhyNot, run_guarded
from placet.actors.agents.left import MARK, end_left
from placet.actors.agents.loading import Agent, AnyAgent, as_agent, load_agent
from placet.actors.agents.marks import replayable
from placet.actors.agents.model import AgentSettings, McpServer, ModelConfig, Sandbox
from placet.actors.agents.terminal import CommandResult, run_command
from placet.actors.agents.tools.delegating import DELEGATE
from placet.actors.agents.turn import ChildFailed, Surroundings, ToolCall, Turn, TurnCancelled

__all__ = [
    "ABANDON_AFTER_S",
    "DELEGATE",
    "MARK",
    "Agent",
    "AgentSettings",
    "AnyAgent",
    "BlockingToolCall",
    "BlockingTurn",
    "ChildFailed",
    "CommandResult",
    "McpServer",
    "ModelConfig",
    "Refusal",
    "Sandbox",
    "Surroundings",
    "ToolCall",
    "Turn",
    "TurnCancelled",
    "WhyNot",
    "as_agent",
    "current_turn",
    "end_left",
    "load_agent",
    "replayable",
    "run_agent",
    "run_command",
    "run_guarded",
]
