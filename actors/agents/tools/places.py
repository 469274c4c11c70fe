"""Where a file tool may read and write: judged as the shell command that does the same, so that there is one set of rules."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import msgspec

from placet.actors.agents.files import fingerprints
from placet.actors.agents.tools.asked import Look
from placet.actors.guard import Verdict, judge

if TYPE_CHECKING:
    from placet.actors.agents.tools.tool import Request
    from placet.actors.agents.turn import Surroundings, Turn

_READING = "cat < {}"
_WRITING = ": > {}"


def place_of(surroundings: Surroundings, path: str) -> str:
    """Where a path leads, links followed; a relative one counts from the workspace."""
    return os.path.realpath(os.path.join(surroundings.workspace, path))


def may_read(surroundings: Surroundings, place: str) -> bool:
    """Whether a place may be read without a question."""
    return _judged(surroundings, place, _READING).verdict is Verdict.RUN


async def reading(turn: Turn, request: Request) -> Look:
    """The look of a tool that reads what its argument `path` names: secrets are asked about, Placet's own places forbidden."""
    return await _look(turn, request, _READING)


async def writing(turn: Turn, request: Request) -> Look:
    """The look of a tool that writes there: also asked about is what lies outside the workspace, or makes programs run others."""
    return await _look(turn, request, _WRITING)


async def _look(turn: Turn, request: Request, command: str) -> Look:
    surroundings = turn.surroundings
    path = request.arguments.get("path", ".")
    if not isinstance(path, str) or "\0" in path:
        return Look(Verdict.DENY, "It is no path", "path")
    place = place_of(surroundings, path)
    look = _judged(surroundings, place, command)
    if look.verdict is not Verdict.ASK:
        return look
    files = await fingerprints([place], directory=surroundings.workspace)
    return msgspec.structs.replace(look, files=files, place=place)


def _judged(surroundings: Surroundings, place: str, command: str) -> Look:
    """What the guard says of a real path; and outside the workspace no writing without a question, not even in /tmp."""
    workspace = os.path.realpath(surroundings.workspace)
    judgement = judge(command.format(shlex.quote(place)), workspace, surroundings.policy)
    if judgement.verdict is Verdict.RUN:
        inside = os.path.commonpath([workspace, place]) == workspace
        if command == _READING or inside:
            return Look()
        return Look(Verdict.ASK, f"{place} lies outside the workspace", "outside")
    why = "; ".join(reason.text for reason in judgement.reasons if reason.verdict is judgement.verdict)
    return Look(judgement.verdict, why, judgement.reasons[0].code)
