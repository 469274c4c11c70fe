"""The tool `ask_user`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.agents.tools.define import checked
from placet.actors.agents.tools.tool import Request, Tool

if TYPE_CHECKING:
    from placet.actors.agents.turn import Turn


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    choices: list[str] = []


async def _run(turn: Turn, request: Request) -> str:
    """No tool call around it: a question that was open when the server died waits on, and is no effect to be asked about."""
    given = checked(request, _Question)
    answer = await turn.ask(given["question"], tuple(given["choices"]), call_id=request.call_id)
    return "Nobody answered in time." if answer is None else answer


ask_user = Tool(
    name="ask_user",
    description=(
        "Ask the person a question and wait for the answer. For what only a person can know or choose; consent to an action is "
        "asked for by the tools themselves."
    ),
    parameters={
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The question, in full."},
            "choices": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The answers to choose from; none if any text will do.",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
    run=_run,
)
