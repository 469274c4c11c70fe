"""The one way to run a tool that is no shell command: looked at, asked about if it must be, and only then started.

A look says whether a person must be asked, and what the files that matter hold. It is journaled, so that after a crash the same
question is found again, and repeated after the tool's start is on disk. If things look otherwise by then, a decision that was
made before is not used.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.agents.output import KeptOutput
from placet.actors.agents.tools.tool import Request, ToolError
from placet.actors.agents.turn import Turn
from placet.actors.guard import Verdict
from placet.actors.protocol.approvals import ApprovalStatus, Decision
from placet.actors.protocol.errors import PlacetError

if TYPE_CHECKING:
    from placet.actors.agents.turn import ToolCall

MAX_LOOKS = 3
"""How often one call is looked at. A rule answers at once; a file that always changes would make that a loop."""

logger: Final = logging.getLogger("placet.tools")


class Look(msgspec.Struct, frozen=True):
    """Whether a call may run.

    Attributes:
        verdict: run, ask or deny.
        why: the reason if it may not simply run, a sentence without its full stop.
        code: the reason's stable word.
        files: by path, what the files that matter hold.
        place: where it acts, links followed, if that is not the workspace as a whole.
    """

    verdict: Verdict = Verdict.RUN
    why: str = ""
    code: str = ""
    files: dict[str, str] = {}
    place: str | None = None


LookAt = Callable[[Turn, Request], Awaitable[Look]]


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the journal keeps of a call: the text for the model, or that it was looked at in vain."""

    text: str
    changed: bool = False


_REFUSED = {
    ApprovalStatus.DENIED: "This was not done: it was denied",
    ApprovalStatus.EXPIRED: "This was not done: nobody decided in time",
}
_LOST = "This had started when the server stopped; it counts as failed and was not done again."


async def run_asked(
    turn: Turn, name: str, request: Request, look_at: LookAt | None, work: Callable[[], Awaitable[Any]]
) -> str:
    """Run a tool's `work` if a look at it, or a person, allows it. Always a checkpoint.

    Cancellation leaves the call without an end: what it had done by then is not known.

    Args:
        turn: whose tool it is.
        name: the tool's.
        request: the call.
        look_at: looks; `None` lets every call run.
        work: what is done.

    Returns:
        What the model is told.

    Raises:
        PlacetError: what the turn's own methods raise.
    """
    for _ in range(MAX_LOOKS):
        look = None if look_at is None else await _journaled(turn, name, request, look_at)
        if look is not None and (refused := await _refused(turn, name, request, look)):
            return refused
        answer = await _run(turn, name, request, None if look_at is None else (look_at, look), work)
        if not answer.changed:
            return answer.text
    return "This was not done: what it is about kept changing."


async def _journaled(turn: Turn, name: str, request: Request, look_at: LookAt) -> Look:
    async def look() -> Any:
        return msgspec.to_builtins(await look_at(turn, request))

    step = f"{name}.look {request.call_id}"
    return msgspec.convert(await turn.step(step, look, wait=False), Look)


async def _refused(turn: Turn, name: str, request: Request, look: Look) -> str | None:
    """Why it may not run; `None` if it may."""
    if look.verdict is Verdict.DENY:
        return f"This was not done, it is forbidden: {look.why}."
    if look.verdict is Verdict.RUN:
        return None
    decision = await turn.request_approval(
        command=f"{name} {msgspec.json.encode(request.arguments).decode()}",
        description=f"{look.why}.",
        pattern_key=look.code,
        tool=name,
        arguments=request.arguments,
        directory=look.place,
        files=look.files,
        call_id=request.call_id,
    )
    return None if decision.approved else refusal(decision)


def refusal(decision: Decision) -> str:
    """What the model is told of a decision that lets nothing run, with the person's reason."""
    words = _REFUSED.get(decision.outcome, "This was not done: the question was withdrawn")
    return f"{words} ({decision.reason})." if decision.reason else f"{words}."


async def _run(
    turn: Turn,
    name: str,
    request: Request,
    looked: tuple[LookAt, Look | None] | None,
    work: Callable[[], Awaitable[Any]],
) -> _Answer:
    async with turn.tool(name, request.arguments, call_id=request.call_id) as call:
        if call.replayed:
            return _replayed(call)
        if looked is not None and await looked[0](turn, request) != looked[1]:
            return _finish(call, _Answer("", changed=True), failed=True)
        try:
            text = bounded(_text(await work()), turn.surroundings.limits.tool_output_bytes)
        except ToolError as error:
            return _finish(call, _Answer(str(error)), failed=True)
        except PlacetError:
            raise
        except Exception as error:  # a tool is the agent's own code: it fails its call and nothing else
            logger.warning("the tool %s failed in %s", name, turn.session_id, exc_info=error)
            return _finish(call, _Answer(f"The tool failed: {type(error).__name__}: {error}"), failed=True)
        return _finish(call, _Answer(text), failed=False)


def _finish(call: ToolCall, answer: _Answer, *, failed: bool) -> _Answer:
    call.finish(msgspec.to_builtins(answer), failed=failed)
    return answer


def _replayed(call: ToolCall) -> _Answer:
    """How the call ended before the crash. Of one that nobody saw end, the session gives some other word."""
    try:
        return msgspec.convert(call.result, _Answer)
    except msgspec.ValidationError:
        return _Answer(_LOST)


def _text(result: Any) -> str:
    if result is None:
        return "Done."
    return result if isinstance(result, str) else msgspec.json.encode(result).decode()


def bounded(text: str, keep_bytes: int) -> str:
    """Head and tail of a text, and a word of what is missing between them."""
    kept = KeptOutput(keep_bytes)
    kept.add(text.encode(errors="replace"))
    return kept.text()
