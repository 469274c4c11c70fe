"""How a session's events look to a viewer: the parameters of one `event` notification after another.

One event of the log makes one numbered frame, or none. Where prompts are shown again because their turn goes on under a new
generation, those frames come before it without a number, so whoever resumes after the number has seen them all.
"""

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
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.actors.protocol.records import ApprovalRecord, SessionRecord

PREVIEW_MAX: Final = 500
"""Characters of a tool's result. The whole of it is the agent's."""

_SHAPE: Final = "ws"
"""Our name for the encoded form, kept with the event: it is the same for every viewer."""

_ENDS: Final = {
    Outcome.COMPLETED: ("completed", "complete"),
    Outcome.FAILED: ("failed", "error"),
    Outcome.REJECTED: ("failed", "error"),
    Outcome.CANCELLED: ("cancelled", "interrupted"),
    Outcome.INTERRUPTED: ("cancelled", "interrupted"),
}
"""What a viewer is told of an end: `outcome` and `status`."""


def replay_epoch(record: SessionRecord) -> str:
    """Within which the session's sequence numbers mean the same: for ever, also over restarts, until the id is made anew."""
    return f"{record.created_at:.6f}"


class EventLog:
    """Makes the frames of one session, read from some place of its log.

    Args:
        record: the session.
        asked: what had been asked at the cut, as it stood.
        head_seq: the newest event before the cut.
        runs: public run ids by admission, as far as they are known.
        authority_epoch: of this process.
    """

    def __init__(
        self,
        record: SessionRecord,
        asked: Iterable[ApprovalRecord],
        head_seq: int,
        runs: dict[str, str],
        authority_epoch: int,
    ) -> None:
        self._session_id = record.session_id
        self._shown = Shown(asked, head_seq, record.principal)
        self._runs = dict(runs)
        self._stamps = {"replay_epoch": replay_epoch(record), "authority_epoch": authority_epoch}

    def render(self, item: Recorded) -> list[bytes]:
        """The encoded parameters of the frames of one event; only the last has a `seq`."""
        known = item.encoded.get(_SHAPE)
        if known is not None:
            return [known]
        event = item.event
        match event:
            case e.RunNamed():
                self._runs.setdefault(event.admission_id, event.run_id)
            case e.ApprovalOpened():
                shown_now = self._prompt(self._shown.opened(item, event))
                return [self._numbered(item, shown_now["event"], shown_now)]
            case e.AdmissionResumed():
                again = [self._prompt(row) for row in self._shown.resumed(item, event)]
                return [
                    *(self.state(row["event"], row) for row in again),
                    self._numbered(item, "message.resumed", {}),
                ]
            case e.ApprovalDecided() | e.ApprovalClosed():
                self._shown.ended(event.request_id, event.status)
            case _:
                pass
        described = _described(event)
        if described is None:
            return []
        encoded = self._numbered(item, *described)
        if isinstance(event, e.TextAppended | e.ThoughtAppended | e.ToolProgressed):
            item.encoded[_SHAPE] = encoded
        return [encoded]

    def state(self, kind: str, payload: dict[str, Any]) -> bytes:
        """The encoded parameters of a frame that tells how things stand. It is no event of the log and has no number."""
        return dump_ascii({"type": kind, "session_id": self._session_id, "payload": payload, **self._stamps})

    def _numbered(self, item: Recorded, kind: str, payload: dict[str, Any]) -> bytes:
        params = {
            "type": kind,
            "session_id": self._session_id,
            "payload": payload,
            "seq": item.seq,
            "timestamp": item.at,
            **self._stamps,
        }
        admission_id = admission_of(item.event)
        generation: int | None = getattr(item.event, "generation", None)
        if admission_id is not None:
            params["admission_id"] = admission_id
        if generation is not None:
            params["execution_generation"] = generation
        return dump_ascii(params)

    def _prompt(self, row: ApprovalRecord) -> dict[str, Any]:
        run_id = self._runs.get(row.prompt.admission_id, row.prompt.admission_id)
        return prompt(row, run_id)


def prompt(row: ApprovalRecord, run_id: str) -> dict[str, Any]:
    """A prompt as viewers see it, with how it stands."""
    return views.approval_request(row, run_id) | {"status": row.status.value}


def _described(event: e.Event) -> tuple[str, dict[str, Any]] | None:
    """Type and payload of an event that needs no memory to be told; `None` for what says nothing to a viewer."""
    match event:
        case e.TextAppended():
            return "message.delta", {"text": event.text}
        case e.ThoughtAppended():
            return "reasoning.available", {"text": event.text}
        case e.AnswerRestarted():
            return "message.restarted", {}
        case e.ToolStarted() | e.ToolProgressed() | e.ToolEnded():
            return _tool(event)
        case e.ApprovalGranted():
            return _approval(views.approval_granted(event))
        case e.ApprovalExpiring() | e.ApprovalExtended() | e.ApprovalDecided() | e.ApprovalClosed():
            return _approval(views.approval_event(event))
        case _:
            return _turn(event)


def _tool(event: e.ToolStarted | e.ToolProgressed | e.ToolEnded) -> tuple[str, dict[str, Any]]:
    match event:
        case e.ToolStarted():
            started = {"tool": event.tool, "tool_call_id": event.call_id, "preview": event.preview}
            return "tool.started", started
        case e.ToolProgressed():
            return "tool.progress", {"tool_call_id": event.call_id, "delta": event.text}
        case e.ToolEnded():
            result = event.result
            text: str = result if isinstance(result, str) else msgspec.json.encode(result).decode()
            ended = {
                "tool": event.tool,
                "tool_call_id": event.call_id,
                "duration": event.duration_s,
                "error": event.failed,
                "preview": shown(text[:PREVIEW_MAX]).display,
            }
            return "tool.completed", ended


def _approval(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    kind = str(record.pop("event"))
    # However a prompt ends, a viewer learns it under one name.
    return "approval.settled" if kind == "approval.responded" else kind, record


def _turn(event: e.Event) -> tuple[str, dict[str, Any]] | None:
    match event:
        case e.AdmissionAccepted():
            return "prompt.accepted", {"input_id": event.key, "text": event.input.content.text}
        case e.AdmissionClaimed():
            return "message.start", {}
        case e.AdmissionLost():
            return "message.unknown", {}
        case e.SteeringReceived():
            return "message.steered", {"text": event.text, "by": event.by}
        case e.StopRequested():
            return "message.stopping", {"by": event.by}
        case e.AdmissionSettled():
            return "message.complete", _settled(event)
        case _:
            return None


def _settled(event: e.AdmissionSettled) -> dict[str, Any]:
    outcome, status = _ENDS[event.outcome]
    text, usage = event.result.text, views.usage(event.result.usage)
    payload: dict[str, Any] = {
        "text": text,
        "content": text,
        "admission_id": event.admission_id,
        "outcome": outcome,
        "status": status,
        "usage": usage,
    }
    if event.outcome is Outcome.COMPLETED:
        return payload
    return payload | {"error": error_object(failure_of(event.outcome, event.result))}
