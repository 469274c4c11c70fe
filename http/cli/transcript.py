"""What arrived on a stream, as what is to be shown of it. Pure; prompts that are open are not shown here but asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from placet.http.cli.text import Said, Tone, escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Data: TypeAlias = "dict[str, Any]"

_PREVIEW = 200
_INDENT = "  "

_ALLOWED: Final = {
    "once": "allowed, once",
    "session": "allowed in this session",
    "always": "allowed always",
    "retry": "run once more",
    "failed": "taken as failed",
}
_NOT_ANSWERED: Final = {"expired": "nobody decided in time", "cancelled": "the question was withdrawn"}
_ENDINGS: Final = {
    "run.failed": "The run failed",
    "run.cancelled": "The run was stopped",
    "run.interrupted": "The run was interrupted",
}


class _Command(msgspec.Struct):
    """The result of a command, as the terminal tool gives it."""

    exit_code: int
    output: str


class Transcript:
    """Turns events into text.

    The events' own order is kept. Of a tool that shows its output as it comes the result is not shown again.
    """

    def __init__(self) -> None:
        self._streamed: set[str] = set()

    def show(self, name: str, data: Data) -> list[Said]:
        """What is to be shown of an event; nothing of one that says nothing to a person, or that is not known."""
        if name == "tool.progress":
            self._streamed.add(str(data.get("tool_call_id")))
        if name == "tool.completed":
            return _tool_ended(data, streamed=str(data.get("tool_call_id")) in self._streamed)
        shows = _SHOWS.get(name)
        return [] if shows is None else [said for said in shows(data) if said.text]


def _text(data: Data) -> list[Said]:
    return [Said(_string(data, "delta"), flows=True)]


def _thought(data: Data) -> list[Said]:
    return [Said(_string(data, "text"), Tone.DIM, flows=True)]


def _tool_started(data: Data) -> list[Said]:
    what = _string(data, "preview").rstrip("\n").replace("\n", f"\n{_INDENT}")
    return [Said(f"· {_string(data, 'tool')}  {what}".rstrip(), Tone.ASK)]


def _tool_output(data: Data) -> list[Said]:
    return [Said(_string(data, "delta"), Tone.DIM, flows=True, indent=_INDENT)]


def _tool_ended(data: Data, *, streamed: bool) -> list[Said]:
    failed, preview = bool(data.get("error")), _string(data, "preview")
    seconds = f"{_number(data, 'duration'):.1f} s"
    result = "" if streamed else one_line(_output(preview), _PREVIEW)
    shown = [Said(f"{_INDENT}{result}", Tone.DIM)] if result else []
    end = (
        Said(f"{_INDENT}✗ failed, {seconds}", Tone.BAD) if failed else Said(f"{_INDENT}✓ {seconds}", Tone.DIM)
    )
    return [*shown, end]


def _output(preview: str) -> str:
    """What a tool has to say; of a command that is its output alone, as it was not shown on the way."""
    try:
        return msgspec.json.decode(preview, type=_Command).output
    except msgspec.MsgspecError:
        return preview


def _asked(data: Data) -> list[Said]:
    """A prompt that has ended by now. How, the log says next."""
    return [Said(f"? {one_line(str(data.get('display') or data.get('question') or ''), _PREVIEW)}", Tone.DIM)]


def _granted(data: Data) -> list[Said]:
    return [Said(f"✓ allowed by a rule: {one_line(str(data.get('display', '')), _PREVIEW)}", Tone.GOOD)]


def _decided(data: Data) -> list[Said]:
    choice, by, reason = (_string(data, name) for name in ("choice", "decided_by", "reason"))
    if data.get("status") == "approved":
        return [Said(f"✓ {_ALLOWED.get(choice, choice)}, by {by}", Tone.GOOD)]
    why = f": {reason}" if reason else ""
    return [Said(f"✗ {'taken as failed' if choice == 'failed' else 'denied'} by {by}{why}", Tone.BAD)]


def _settled(data: Data) -> list[Said]:
    status = _string(data, "status")
    if status == "answered":
        return [Said(f"✓ answered by {_string(data, 'decided_by')}: {_string(data, 'answer')}", Tone.GOOD)]
    return [Said(f"✗ {_NOT_ANSWERED.get(status, status)}", Tone.WARN)]


def _extended(data: Data) -> list[Said]:
    return [Said(f"The question waits longer, by {_string(data, 'by')}.", Tone.DIM)]


def _steered(data: Data) -> list[Said]:
    return [Said(f"told by {_string(data, 'by')}: {_string(data, 'text')}", Tone.DIM)]


def _stopping(data: Data) -> list[Said]:
    return [Said(f"Being stopped, by {_string(data, 'by')}.", Tone.DIM)]


def _inbox(data: Data) -> list[Said]:
    return (
        []
        if data.get("open")
        else [Said("Nothing waits. What comes is shown here; Ctrl-C leaves.", Tone.DIM)]
    )


def _ended(name: str) -> Callable[[Data], list[Said]]:
    def show(data: Data) -> list[Said]:
        error: Data = data.get("error") or {}
        message = _string(error, "message")
        why = f": {message}" if message and name != "run.cancelled" else "."
        return [Said(f"{_ENDINGS[name]}{why}", Tone.BAD if name == "run.failed" else Tone.WARN)]

    return show


def _fixed(text: str) -> Callable[[Data], list[Said]]:
    return lambda _: [Said(text, Tone.WARN)]


def _string(data: Data, name: str) -> str:
    value = data.get(name)
    return escaped(value) if isinstance(value, str) else ""


def _number(data: Data, name: str) -> float:
    value = data.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


_SHOWS: Final[Mapping[str, Callable[[Data], list[Said]]]] = {
    "message.delta": _text,
    "reasoning.available": _thought,
    "message.restarted": _fixed("The answer begins again."),
    "tool.started": _tool_started,
    "tool.progress": _tool_output,
    "approval.request": _asked,
    "clarify.request": _asked,
    "approval.granted": _granted,
    "approval.responded": _decided,
    "approval.settled": _settled,
    "approval.extended": _extended,
    "clarify.settled": _settled,
    "run.resumed": _fixed("The server was restarted; the run goes on."),
    "run.unknown": _fixed("The server went down while this ran, and nobody knows how far it came."),
    "run.steered": _steered,
    "run.stopping": _stopping,
    "inbox.ready": _inbox,
    "replay.truncated": _fixed("What is older was put together meanwhile; some of it comes again."),
    **{name: _ended(name) for name in _ENDINGS},
}
