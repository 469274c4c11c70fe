"""The event log as viewers read it: every event of a run, or of a whole session, with the log's numbers as ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.guard import shown
from placet.actors.protocol import events as e
from placet.actors.protocol.events import Outcome, Recorded
from placet.actors.store import admission_of
from placet.http import views
from placet.http.chat_stream import failure_of
from placet.http.errors import error_object
from placet.http.shown import Shown
from placet.http.sse import OPEN, json_frame

if TYPE_CHECKING:
    from placet.actors.protocol.errors import PlacetError
    from placet.http.resume import Watched

PREVIEW_MAX: Final = 500
"""Characters of a tool's result in a stream. The whole of it is the agent's."""

_END_OF_RUN: Final = {
    Outcome.COMPLETED: "run.completed",
    Outcome.CANCELLED: "run.cancelled",
    Outcome.INTERRUPTED: "run.interrupted",
}


class LogRenderer:
    """Frames of one viewer. Each names its event twice, in its `event:` line and in its data, and carries its number as id.

    Args:
        watched: where the stream begins and what stands open.
        principal: who submitted the turns.
        after: the newest event that the viewer has.
        ends_with: the admission whose end ends the stream; `None` if it goes on.
    """

    def __init__(self, watched: Watched, principal: str, *, after: int, ends_with: str | None) -> None:
        self.done = False
        self._runs = dict(watched.runs)
        self._accepted: dict[str, e.AdmissionAccepted] = {}
        self._shown = Shown(watched.asked, watched.head_seq, principal)
        self._after = after
        self._truncated = watched.truncated
        self._ends_with = ends_with

    def opening(self) -> bytes:
        """A comment, and whether something that the viewer had seen in pieces will now come as a whole."""
        if not self._truncated:
            return OPEN
        record = {"event": "replay.truncated", "requested_seq": self._after}
        return OPEN + json_frame(record, event="replay.truncated")

    def catch_up(self, item: Recorded) -> None:
        """Never called: the past is replayed."""

    def caught_up(self) -> bytes:
        """Never called."""
        return b""

    def failed(self, error: PlacetError) -> bytes:
        """Why the stream cannot go on."""
        self.done = True
        return json_frame({"event": "error", **error_object(error)}, event="error")

    def render(self, item: Recorded) -> bytes:
        """The frames of one event; the last of them carries its id."""
        if isinstance(item.event, e.RunNamed):
            self._runs.setdefault(item.event.admission_id, item.event.run_id)
        run_id = self._run_of(item.event)
        shape = f"log {run_id}"
        known = item.encoded.get(shape)
        if known is not None:
            return known
        records = self._records(item, run_id)
        stamps = {"run_id": run_id, "session_id": item.stream, "timestamp": item.at, "seq": item.seq}
        frames = [
            json_frame(record | stamps, event=record["event"], event_id=item.seq if last else None)
            for record, last in zip(records, [False] * (len(records) - 1) + [True], strict=False)
        ]
        rendered = b"".join(frames)
        if isinstance(item.event, e.TextAppended | e.ThoughtAppended):
            item.encoded[shape] = rendered
        return rendered

    def _run_of(self, event: e.Event) -> str | None:
        admission_id = admission_of(event)
        return None if admission_id is None else self._runs.get(admission_id, admission_id)

    def _records(self, item: Recorded, run_id: str | None) -> list[dict[str, Any]]:
        event = item.event
        match event:
            case e.AdmissionAccepted():
                # Told as soon as it has its name, which comes next.
                self._accepted[event.admission_id] = event
                return []
            case e.RunNamed():
                accepted = self._accepted.pop(event.admission_id, None)
                return [] if accepted is None else [_queued(accepted)]
            case e.ApprovalOpened():
                return [self._prompt(self._shown.opened(item, event), run_id)]
            case e.AdmissionResumed():
                again = [self._prompt(row, run_id) for row in self._shown.resumed(item, event)]
                return [{"event": "run.resumed", "execution_generation": event.generation}, *again]
            case e.ApprovalDecided() | e.ApprovalClosed():
                self._shown.ended(event.request_id, event.status)
            case e.AdmissionSettled(admission_id=admission_id) if admission_id == self._ends_with:
                self.done = True
            case _:
                pass
        record = _record(event)
        return [] if record is None else [record]

    def _prompt(self, row: Any, run_id: str | None) -> dict[str, Any]:
        return views.approval_request(row, run_id or "") | {"status": row.status.value}


def _record(event: e.Event) -> dict[str, Any] | None:
    """What a viewer is told of an event that is no prompt; `None` for what says nothing to it."""
    match event:
        case e.TextAppended():
            return {"event": "message.delta", "delta": event.text}
        case e.ThoughtAppended():
            return {"event": "reasoning.available", "text": event.text}
        case e.AnswerRestarted():
            return {"event": "message.restarted"}
        case e.ToolStarted() | e.ToolProgressed() | e.ToolEnded():
            return _tool(event)
        case e.ApprovalGranted():
            return views.approval_granted(event)
        case e.ApprovalExpiring() | e.ApprovalExtended() | e.ApprovalDecided() | e.ApprovalClosed():
            return views.approval_event(event)
        case _:
            return _of_run(event)


def _tool(event: e.ToolStarted | e.ToolProgressed | e.ToolEnded) -> dict[str, Any]:
    match event:
        case e.ToolStarted():
            return {
                "event": "tool.started",
                "tool": event.tool,
                "tool_call_id": event.call_id,
                "preview": event.preview,
            }
        case e.ToolProgressed():
            return {"event": "tool.progress", "tool_call_id": event.call_id, "delta": event.text}
        case e.ToolEnded():
            result = (
                event.result if isinstance(event.result, str) else msgspec.json.encode(event.result).decode()
            )
            return {
                "event": "tool.completed",
                "tool": event.tool,
                "tool_call_id": event.call_id,
                "duration": event.duration_s,
                "error": event.failed,
                "preview": shown(result[:PREVIEW_MAX]).display,
            }


def _of_run(event: e.Event) -> dict[str, Any] | None:
    match event:
        case e.SessionOpened():
            return {"event": "session.created", "title": event.title}
        case e.SessionChanged():
            changes = msgspec.to_builtins(event)
            return {"event": "session.updated", **{name: changes[name] for name in changes if name != "type"}}
        case e.AdmissionClaimed():
            return {"event": "run.started", "execution_generation": event.generation}
        case e.AdmissionLost():
            return {"event": "run.unknown", "execution_generation": event.generation}
        case e.SteeringReceived():
            return {"event": "run.steered", "accepted": True, "text": event.text, "by": event.by}
        case e.StopRequested():
            return {"event": "run.stopping", "by": event.by}
        case e.AdmissionSettled():
            return _settled(event)
        case _:
            return None


def _queued(event: e.AdmissionAccepted) -> dict[str, Any]:
    return {
        "event": "run.queued",
        "admission_id": event.admission_id,
        "input": event.input.content.text,
    }


def _settled(event: e.AdmissionSettled) -> dict[str, Any]:
    result, completed = event.result, event.outcome is Outcome.COMPLETED
    record: dict[str, Any] = {
        "event": _END_OF_RUN.get(event.outcome, "run.failed"),
        "output": result.text,
        "finish_reason": result.finish_reason if completed else None,
        "usage": views.usage(result.usage),
        "completed": completed,
        "partial": not completed and bool(result.text),
        "interrupted": event.outcome in (Outcome.INTERRUPTED, Outcome.CANCELLED),
    }
    return record if completed else record | {"error": error_object(failure_of(event.outcome, result))}
