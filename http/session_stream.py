"""The session stream: what one input to a session does, as named events with the log's numbers as ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol import events as e
from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.events import Outcome, Recorded
from placet.http import views
from placet.http.chat_stream import failure_of
from placet.http.errors import error_object
from placet.http.sofar import SoFar
from placet.http.sse import OPEN, json_frame

if TYPE_CHECKING:
    from placet.actors.protocol.conversation import TurnResult
    from placet.actors.protocol.records import ApprovalRecord
    from placet.http.shown import Shown

_LAST_EVENT = {
    Outcome.COMPLETED: "run.completed",
    Outcome.CANCELLED: "run.cancelled",
    Outcome.INTERRUPTED: "run.interrupted",
}


class SessionRenderer:
    """Frames of one run on its session's stream. Every payload carries `session_id`, `run_id`, `seq` and `ts`.

    Where one event makes several frames, only the last carries the id: a client that resumes after it has seen them all.

    Args:
        run_id: the stream's id, which is also a run id.
        session_id: the session's.
        principal: who asks.
        user_message: what the input says.
        opened_seq: the newest event before the stream, the id of its opening.
        opened_at: Unix seconds.
        result: the stored result if the request is a retry of one that has ended.
        resumed: the prompts as a client must see them that has the beginning already; `None` for one that begins.
    """

    def __init__(
        self,
        *,
        run_id: str,
        session_id: str,
        principal: str,
        user_message: str,
        opened_seq: int,
        opened_at: float,
        result: tuple[Outcome, TurnResult] | None = None,
        resumed: Shown | None = None,
    ) -> None:
        self.done = False
        self._run_id = run_id
        self._session_id = session_id
        self._message_id = f"msg_{run_id.removeprefix('run_')}"
        self._user_message = user_message
        self._seq = opened_seq
        self._at = opened_at
        self._result = result
        self._so_far = SoFar(session_id, principal)
        self._resumed = resumed

    def opening(self) -> bytes:
        """That the run has started; for a request that has ended already also how. A client that resumes knows that."""
        if self._resumed is not None:
            return OPEN
        frames = self._frame("run.started", {"user_message": self._user_message})
        message = {"message": {"id": self._message_id, "role": "assistant"}}
        if self._result is None:
            return frames + self._frame("message.started", message, last=True)
        outcome, result = self._result
        return frames + self._frame("message.started", message) + self._whole(outcome, result)

    def catch_up(self, item: Recorded) -> None:
        """Take in the past."""
        self._so_far.add(item.event)
        self._seq, self._at = item.seq, item.at

    def caught_up(self) -> bytes:
        """The text so far in one delta, then every prompt that is still open."""
        frames = self._delta(self._so_far.text, last=False) if self._so_far.text else b""
        frames += b"".join(self._prompt(row, last=False) for row in self._so_far.prompts)
        return frames + self._frame("run.caught_up", {}, last=True)

    def render(self, item: Recorded) -> bytes:
        """The frames of one event."""
        self._seq, self._at = item.seq, item.at
        event = item.event
        match event:
            case e.TextAppended():
                return self._delta(event.text, last=True)
            case e.ThoughtAppended():
                delta = {"tool_name": "_thinking", "delta": event.text}
                return self._frame("tool.progress", delta, last=True)
            case e.AnswerRestarted():
                return self._frame("message.restarted", {"message_id": self._message_id}, last=True)
            case e.ToolStarted():
                started = {"tool_name": event.tool, "tool_call_id": event.call_id, "preview": event.preview}
                return self._frame("tool.started", started, last=True)
            case e.ToolProgressed():
                progress = {"tool_call_id": event.call_id, "delta": event.text}
                return self._frame("tool.progress", progress, last=True)
            case e.ToolEnded():
                ended = {"tool_name": event.tool, "tool_call_id": event.call_id, "duration": event.duration_s}
                return self._frame("tool.failed" if event.failed else "tool.completed", ended, last=True)
            case _:
                return self._render_control(item)

    def _render_control(self, item: Recorded) -> bytes:
        event = item.event
        self._so_far.add(event)
        match event:
            case e.AdmissionResumed():
                shown = b"".join(self._prompt(row, last=False) for row in self._again(item, event))
                return shown + self._frame("run.resumed", {}, last=True)
            case e.ApprovalOpened() if self._resumed is not None:
                return self._prompt(self._resumed.opened(item, event), last=True)
            case e.ApprovalOpened():
                return self._prompt(self._so_far.opened(event), last=True)
            case e.ApprovalExpiring() | e.ApprovalExtended() | e.ApprovalDecided() | e.ApprovalClosed():
                record = views.approval_event(event)
                return self._frame(record["event"], record, last=True)
            case e.SteeringReceived():
                return self._frame(
                    "run.steered", {"accepted": True, "text": event.text, "by": event.by}, last=True
                )
            case e.AdmissionSettled():
                return self._end(event.outcome, event.result)
            case e.AdmissionLost():
                return self.failed(
                    PlacetError("The server went down while this ran.", code="unknown_execution")
                )
            case _:
                return b""

    def _again(self, item: Recorded, event: e.AdmissionResumed) -> list[ApprovalRecord]:
        """The prompts to show again as the turn goes on under a new generation."""
        return self._so_far.prompts if self._resumed is None else self._resumed.resumed(item, event)

    def failed(self, error: PlacetError) -> bytes:
        """Why the stream cannot go on."""
        self.done = True
        return self._frame("error", error_object(error)) + self._frame("done", {}, last=True)

    def _whole(self, outcome: Outcome, result: TurnResult) -> bytes:
        return (self._delta(result.text, last=False) if result.text else b"") + self._end(outcome, result)

    def _end(self, outcome: Outcome, result: TurnResult) -> bytes:
        self.done = True
        completed = {
            "message_id": self._message_id,
            "content": result.text,
            "finish_reason": result.finish_reason if outcome is Outcome.COMPLETED else None,
            "completed": outcome is Outcome.COMPLETED,
            "partial": outcome is not Outcome.COMPLETED and bool(result.text),
            "interrupted": outcome in (Outcome.INTERRUPTED, Outcome.CANCELLED),
        }
        closing: dict[str, Any] = {
            "messages": [{"role": "assistant", "content": result.text}] if result.text else [],
            "usage": views.usage(result.usage),
        }
        frames = self._frame("assistant.completed", completed)
        if outcome is not Outcome.COMPLETED:
            closing["error"] = error_object(failure_of(outcome, result))
            frames += self._frame("error", closing["error"])
        frames += self._frame(_LAST_EVENT.get(outcome, "run.failed"), closing)
        return frames + self._frame("done", {}, last=True)

    def _delta(self, text: str, *, last: bool) -> bytes:
        return self._frame("assistant.delta", {"message_id": self._message_id, "delta": text}, last=last)

    def _prompt(self, row: ApprovalRecord, *, last: bool) -> bytes:
        record = views.approval_request(row, self._run_id) | {"message_id": self._message_id}
        if self._resumed is not None:
            record["status"] = row.status.value
        return self._frame(record["event"], record, last=last)

    def _frame(self, name: str, data: dict[str, Any], *, last: bool = False) -> bytes:
        stamped = {
            **data,
            "session_id": self._session_id,
            "run_id": self._run_id,
            "seq": self._seq,
            "ts": self._at,
        }
        return json_frame(stamped, event=name, event_id=self._seq if last else None)
