"""The tool `terminal`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.agents.gate import Refusal, run_guarded
from placet.actors.agents.tools.define import checked
from placet.actors.agents.tools.tool import Request, Tool

if TYPE_CHECKING:
    from placet.actors.agents.terminal import CommandResult
    from placet.actors.agents.turn import Turn


class _Command(msgspec.Struct, forbid_unknown_fields=True):
    command: str


async def _run(turn: Turn, request: Request) -> str:
    """Past the guard, which has its own way to ask."""
    command: str = checked(request, _Command)["command"]
    return _report(await run_guarded(turn, command, call_id=request.call_id))


def _report(ended: CommandResult | Refusal) -> str:
    if isinstance(ended, Refusal):
        return ended.text
    if ended.timed_out:
        return f"{ended.output}\n(ended after {ended.duration_s:.0f} s, for it took too long)"
    return f"{ended.output}\n(exit status {ended.exit_code})".lstrip("\n")


terminal = Tool(
    name="terminal",
    description=(
        "Run a shell command in the workspace and get what it prints and its exit status. It has no input and no terminal. "
        "Each command starts anew in the workspace. A person is asked before a command that could do harm."
    ),
    parameters={
        "type": "object",
        "properties": {"command": {"type": "string", "description": "What bash runs."}},
        "required": ["command"],
        "additionalProperties": False,
    },
    run=_run,
)
