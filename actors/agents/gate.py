"""The one way to run a shell command in a turn: judged, asked about if it must be, and only then started.

What a person approves is the command in its directory with the files that it names as they then were. They are looked at
again after the tool's start is on disk and before the shell starts. If one has changed meanwhile, the decision is not used,
nothing runs, and the person is asked again. Between that look and the shell's own there remain some milliseconds; only a
sandbox closes them.

Everything that a second run after a crash might see otherwise goes through the journal: the first look as a step, the second
look as the result of the tool call that did not run.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from placet.actors.agents.files import fingerprints
from placet.actors.agents.terminal import CommandResult, run_command
from placet.actors.agents.tools.sandbox import SAID, confined
from placet.actors.guard import Judgement, Verdict, judge, shown
from placet.actors.protocol.approvals import ApprovalStatus, Choice, Decision

if TYPE_CHECKING:
    from placet.actors.agents.turn import ToolCall, Turn

MAX_ASKS = 3
"""How often one command is asked about. A rule answers at once; a file that always changes would make that a loop."""


class WhyNot(Enum):
    """Why a command was not run."""

    FORBIDDEN = "forbidden"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    CHANGED = "changed"
    UNKNOWN = "unknown"


class Refusal(msgspec.Struct, frozen=True):
    """A command that was not run.

    Attributes:
        why: the kind of reason.
        text: a sentence that says it, to a person or a model.
    """

    why: WhyNot
    text: str


_WHY_NOT = {
    ApprovalStatus.DENIED: WhyNot.DENIED,
    ApprovalStatus.EXPIRED: WhyNot.EXPIRED,
    ApprovalStatus.CANCELLED: WhyNot.CANCELLED,
}

_SENTENCE = {
    WhyNot.DENIED: "The command was not run: it was denied",
    WhyNot.EXPIRED: "The command was not run: nobody decided in time",
    WhyNot.CANCELLED: "The command was not run: the question was withdrawn",
}


async def run_guarded(turn: Turn, command: str, *, call_id: str | None = None) -> CommandResult | Refusal:
    """Run `command` in the workspace if the guard, or a person, lets it. Always a checkpoint.

    A person is asked before the tool's start is recorded, so only a command that had started can have an unknown outcome.
    Cancellation ends a running command and leaves its call without an end: what it had done by then is not known.

    Args:
        turn: whose tool it is.
        command: shell text, whole.
        call_id: the model's own id for the call. Without it a replay tells commands apart by their order, so an agent that runs
            several at once must give it.

    Returns:
        How it ended, or why it was not run.

    Raises:
        PlacetError: what the turn's own methods raise: `StoreUnavailable`, `replay_diverged`.
    """
    judgement = judge(command, turn.surroundings.workspace, turn.surroundings.policy)
    if judgement.verdict is Verdict.DENY:
        return Refusal(
            WhyNot.FORBIDDEN, f"The command was not run, the guard forbids it: {_reasons(judgement)}."
        )
    changed: tuple[str, ...] = ()
    for _ in range(MAX_ASKS):
        files: dict[str, str] = {}
        if judgement.verdict is Verdict.ASK:
            files = await _first_look(turn, judgement, call_id)
            decision = await _ask(turn, command, judgement, files, changed, call_id)
            if not decision.approved:
                return _refusal(decision)
        ended = await _run(turn, command, files, call_id)
        if not isinstance(ended, _Changed):
            return ended
        changed = ended.changed
    return Refusal(WhyNot.CHANGED, f"The command was not run: {', '.join(changed)} kept changing.")


async def _first_look(turn: Turn, judgement: Judgement, call_id: str | None) -> dict[str, str]:
    """The files as they are while the person reads, by a step: after a crash the same question must be found again."""
    if not judgement.files:
        return {}

    async def look() -> dict[str, str]:
        return await fingerprints(judgement.files, directory=turn.surroundings.workspace)

    name = "terminal.files" if call_id is None else f"terminal.files {call_id}"
    return msgspec.convert(await turn.step(name, look, wait=False), dict[str, str])


async def _ask(
    turn: Turn,
    command: str,
    judgement: Judgement,
    files: dict[str, str],
    changed: tuple[str, ...],
    call_id: str | None,
) -> Decision:
    """Ask a person; `changed` are the files for which an earlier answer was not used."""
    again = f"{', '.join(changed)} changed while you read, so your answer was not used. " if changed else ""
    return await turn.request_approval(
        command=command,
        description=f"{again}{_reasons(judgement)}. {SAID[turn.surroundings.confined]}.",
        pattern_key=judgement.reasons[0].code,
        directory=turn.surroundings.workspace,
        files=files,
        choices=tuple(Choice(word) for word in judgement.choices),
        call_id=call_id,
    )


async def _run(
    turn: Turn, command: str, files: dict[str, str], call_id: str | None
) -> CommandResult | Refusal | _Changed:
    """Start and run it, unless a file is no longer what it was, or it is known how the call ended before a crash."""
    surroundings = turn.surroundings
    async with turn.tool("terminal", {"command": shown(command).masked}, call_id=call_id) as call:
        if call.replayed:
            return _replayed(call)
        now = await fingerprints(files, directory=surroundings.workspace)
        if changed := tuple(path for path in files if now[path] != files[path]):
            call.finish(msgspec.to_builtins(_Changed(changed)), failed=True)
            return _Changed(changed)
        result = await run_command(
            confined(command, surroundings) if surroundings.confined else command,
            directory=surroundings.workspace,
            timeout_s=surroundings.limits.terminal_timeout_s,
            keep_bytes=surroundings.limits.tool_output_bytes,
            on_output=call.progress,
            mark=call.mark,
        )
        call.finish(msgspec.to_builtins(result), failed=result.exit_code != 0)
        return result


class _Changed(msgspec.Struct, frozen=True):
    """The call that did not run: these files were no longer what the person had read."""

    changed: tuple[str, ...]


def _replayed(call: ToolCall) -> CommandResult | Refusal | _Changed:
    """How the call ended before the crash. Of one that nobody saw end, the session gives some other word."""
    kinds: tuple[type[CommandResult | _Changed], ...] = (CommandResult, _Changed)
    for kind in kinds:
        with suppress(msgspec.ValidationError):
            return msgspec.convert(call.result, kind)
    return Refusal(
        WhyNot.UNKNOWN,
        "The command had started when the server stopped; it counts as failed and was not run again.",
    )


def _refusal(decision: Decision) -> Refusal:
    why = _WHY_NOT.get(decision.outcome, WhyNot.CANCELLED)
    because = f" ({decision.reason})" if decision.reason else ""
    return Refusal(why, f"{_SENTENCE[why]}{because}.")


def _reasons(judgement: Judgement) -> str:
    """Why the verdict is what it is, in one sentence without its full stop; of several kinds of reason only the decisive one."""
    texts = (reason.text.rstrip(".") for reason in judgement.reasons if reason.verdict is judgement.verdict)
    return "; ".join(dict.fromkeys(texts))
