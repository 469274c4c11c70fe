"""The chat completion stream: what a session records, as the chunks that OpenAI's clients read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import CLARIFY, ROOT
from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.events import Outcome, Recorded
from placet.http import views
from placet.http.dialect import Dialect
from placet.http.errors import error_object
from placet.http.sofar import SoFar
from placet.http.sse import frame, json_frame
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from placet.actors.protocol.conversation import TurnResult
    from placet.actors.protocol.records import ApprovalRecord

DONE: Final = b"data: [DONE]\n\n"


class ChatRenderer:
    """Frames of one completion. On this stream there is never an `id:` line: the official decoder fails on the next comment then.

    A prompt, and what tools do, is shown in the dialect of the client: as a named event, inside an ordinary chunk, or not at all.

    Args:
        run_id: the completion's id, which is also a run id.
        session_id: the session's.
        principal: who asks.
        model: the model's name to echo.
        created: Unix seconds, the same in every chunk.
        dialect: how the client is shown what is no text.
        include_usage: whether a usage chunk is asked for.
        result: the stored result if the request is a retry of one that has ended.
    """

    def __init__(
        self,
        *,
        run_id: str,
        session_id: str,
        principal: str,
        model: str,
        created: int,
        dialect: Dialect,
        include_usage: bool,
        result: tuple[Outcome, TurnResult] | None = None,
    ) -> None:
        self.done = False
        self._run_id = run_id
        self._dialect = dialect
        self._include_usage = include_usage
        self._result = result
        self._so_far = SoFar(session_id, principal)
        self._chunk = {"id": run_id, "object": "chat.completion.chunk", "created": created, "model": model}
        # A delta's frame is this head, the delta, and the tail: built once, so that a token costs two joins.
        self._head = dump_ascii(self._chunk)[:-1] + b',"choices":[{"index":0,"delta":'
        self._tail = b',"finish_reason":null}]}'

    def opening(self) -> bytes:
        """The role, and for a request that has ended already its whole answer."""
        opening = self._delta(b'{"role":"assistant","content":""}')
        if self._result is None:
            return opening
        outcome, result = self._result
        return opening + self._text(result.text) + self._end(outcome, result)

    def catch_up(self, item: Recorded) -> None:
        """Take in the past."""
        self._so_far.add(item.event)

    def caught_up(self) -> bytes:
        """The reasoning and the text so far in one chunk each, then every prompt that is still open."""
        frames = self._thought(self._so_far.thoughts) + self._text(self._so_far.text)
        return frames + b"".join(map(self._prompt, self._so_far.prompts))

    def render(self, item: Recorded) -> bytes:
        """The frames of one event."""
        match item.event:
            case e.TextAppended(text=text):
                return self._shared(item, "content", text)
            case e.ThoughtAppended(text=text):
                return self._shared(item, "reasoning_content", text)
            case event:
                return self._control(event)

    def _control(self, event: e.Event) -> bytes:
        self._so_far.add(event)
        match event:
            case e.AnswerRestarted():
                return self._aside({"event": "message.restarted", "run_id": self._run_id}, "restarted")
            case e.AdmissionResumed():
                return b"".join(map(self._prompt, self._so_far.prompts))
            case e.ApprovalOpened():
                return self._prompt(self._so_far.opened(event))
            case e.ApprovalDecided() | e.ApprovalClosed():
                return self._prompt_ended(event)
            case e.ToolStarted():
                return self._tool(event.tool, event.call_id, "running", event.preview)
            case e.ToolEnded():
                return self._tool(event.tool, event.call_id, "completed", None)
            case e.AdmissionSettled():
                return self._end(event.outcome, event.result)
            case e.AdmissionLost():
                return self.failed(
                    PlacetError("The server went down while this ran.", code="unknown_execution")
                )
            case _:
                return b""

    def failed(self, error: PlacetError) -> bytes:
        """An error object, and the end without a finish reason: half an answer must not look like a whole one."""
        self.done = True
        return json_frame({"error": error_object(error)})

    def _end(self, outcome: Outcome, result: TurnResult) -> bytes:
        if outcome is not Outcome.COMPLETED:
            return self.failed(failure_of(outcome, result))
        self.done = True
        last = {**self._chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": result.finish_reason}]}
        counted = {**self._chunk, "choices": [], "usage": views.usage(result.usage)}
        return json_frame(last) + (json_frame(counted) if self._include_usage else b"") + DONE

    def _delta(self, delta: bytes) -> bytes:
        return frame(self._head + delta + self._tail)

    def _shared(self, item: Recorded, field: str, text: str) -> bytes:
        """A delta whose JSON is made once for all who watch."""
        delta = item.encoded.get("delta")
        if delta is None:
            delta = item.encoded["delta"] = dump_ascii({field: text})
        return self._delta(delta)

    def _text(self, text: str) -> bytes:
        return self._delta(dump_ascii({"content": text})) if text else b""

    def _thought(self, text: str) -> bytes:
        return self._delta(dump_ascii({"reasoning_content": text})) if text else b""

    def _with_placet(self, words: str | None, placet: dict[str, Any]) -> bytes:
        delta = {} if words is None else {"reasoning_content": words}
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return json_frame({**self._chunk, "choices": [choice], "placet": placet})

    def _prompt(self, row: ApprovalRecord) -> bytes:
        record = views.approval_request(row, self._run_id)
        if self._dialect is Dialect.EVENT:
            return json_frame(record, event=record["event"])
        if self._dialect is Dialect.NONE:
            return b""
        asker = "" if row.prompt.path == ROOT else f" ({row.prompt.path} asks)"
        if row.prompt.kind == CLARIFY:
            words = f"\n[Waiting for an answer{asker}: {row.prompt.display} Answer at POST /v1/runs/{self._run_id}/clarify.]\n"
            return self._with_placet(words, {"clarify": record})
        words = (
            f"\n[Waiting for approval{asker}: {row.prompt.description} `{row.prompt.display}` Decide at "
            f"POST /v1/runs/{self._run_id}/approval or in the inbox, GET /v1/approvals.]\n"
        )
        return self._with_placet(words, {"approval": record})

    def _prompt_ended(self, event: e.ApprovalDecided | e.ApprovalClosed) -> bytes:
        if isinstance(event, e.ApprovalClosed) and event.kind == CLARIFY:
            answered = views.approval_event(event) | {"run_id": self._run_id}
            return self._aside(answered, "clarify_ended")
        choice, by = (
            (event.choice.value, event.by) if isinstance(event, e.ApprovalDecided) else (None, "placet")
        )
        record = views.approval_ended(event.request_id, self._run_id, event.status, choice, by)
        return self._aside(record, "approval_ended")

    def _aside(self, record: dict[str, Any], field: str) -> bytes:
        """What is no text and no question, in the client's dialect."""
        if self._dialect is Dialect.EVENT:
            return json_frame(record, event=record["event"])
        return b"" if self._dialect is Dialect.NONE else self._with_placet(None, {field: record})

    def _tool(self, tool: str, call_id: str, status: str, label: str | None) -> bytes:
        progress = {"tool": tool, "toolCallId": call_id, "status": status}
        if label is not None:
            progress["label"] = label
        if self._dialect is Dialect.EVENT:
            return json_frame(progress, event="hermes.tool.progress")
        return b"" if self._dialect is Dialect.NONE else self._with_placet(None, {"tool": progress})


def failure_of(outcome: Outcome, result: TurnResult) -> PlacetError:
    """Why there is no whole answer, in the words of the result."""
    return PlacetError(
        result.error or f"The run was {outcome.value}.", code=result.error_code or f"run_{outcome.value}"
    )
