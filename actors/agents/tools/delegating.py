"""The tool `delegate`, by which a model gives a part of its work to another agent."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec

from placet.actors.agents.tools.asked import bounded
from placet.actors.agents.tools.define import checked
from placet.actors.agents.tools.tool import Request, Tool, ToolError
from placet.actors.agents.turn import ChildFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from placet.actors.agents.loading import Agent
    from placet.actors.agents.turn import Turn

DELEGATE = "delegate"
"""The tool's name, also to those who watch a turn."""


class _Task(msgspec.Struct, forbid_unknown_fields=True):
    agent: str
    input: str


def delegate_tool(agents: Mapping[str, Agent]) -> Tool:
    """The tool for these agents, by the names that the model uses. How one fails, the model is told."""

    async def run(turn: Turn, request: Request) -> str:
        """No tool call around it: the turn shows the child as one, whose outcome is known also after a crash."""
        task = msgspec.convert(checked(request, _Task), _Task)
        agent = agents.get(task.agent)
        if agent is None:
            raise ToolError(f"There is no agent {task.agent!r}. There are: {', '.join(agents)}.")
        try:
            answer = await turn.delegate(agent, task.input, call_id=request.call_id)
        except ChildFailed as failed:
            raise ToolError(f"The agent did not do it: {failed.message}") from failed
        return bounded(answer, turn.surroundings.limits.tool_output_bytes)

    agent = {"type": "string", "enum": list(agents), "description": "Who does it."}
    task = {"type": "string", "description": "The task, with all that is needed for it."}
    return Tool(
        name=DELEGATE,
        description=(
            "Have another agent do a part of the work, and get what it answers. It works in the same directory and knows nothing "
            f"of this conversation.\n{_known(agents)}"
        ),
        parameters={
            "type": "object",
            "properties": {"agent": agent, "input": task},
            "required": ["agent", "input"],
            "additionalProperties": False,
        },
        run=run,
    )


def _known(agents: Mapping[str, Agent]) -> str:
    """The agents, one a line, each with the first line of what it says of itself."""
    first_lines = (
        (name, (inspect.getdoc(agent.function) or "").partition("\n")[0]) for name, agent in agents.items()
    )
    return "\n".join(f"- {name}: {line}" if line else f"- {name}" for name, line in first_lines)
