"""The fold from a run's events to a response: its output items, and the steps by which a stream tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import CLARIFY, ApprovalStatus
from placet.actors.protocol.conversation import TurnResult, Usage
from placet.actors.protocol.events import Outcome
from placet.actors.protocol.records import ApprovalRecord
from placet.http import views
from placet.http.responses import items
from placet.http.responses.voices import ANSWER, THOUGHT, Growing, Step, Voice

if TYPE_CHECKING:
    from placet.http.responses.items import Item

_STATUS: Final = {
    Outcome.COMPLETED: "completed",
    Outcome.FAILED: "failed",
    Outcome.REJECTED: "failed",
    Outcome.CANCELLED: "cancelled",
    Outcome.INTERRUPTED: "incomplete",
}
_CUT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""What the protocol calls the reason why an answer is not whole."""

LOST: Final = TurnResult(
    error_code="unknown_execution",
    error="The server went down while this ran, and what it had done by then is not known.",
)


class End(msgspec.Struct, frozen=True):
    """How a response ended.

    Attributes:
        status: `completed`, `failed`, `cancelled` or `incomplete`.
        code: why it is not complete.
        message: the same for a person.
        usage: tokens.
    """

    status: str
    code: str | None
    message: str | None
    usage: Usage


class Composition:
    """One response as its run's events make it. The same events make the same items and the same steps, whenever and for whomever.

    Steps whose names begin with `response.` are the protocol's and are numbered. The others tell what it has no words for; they
    are not, so that a client that is not shown them counts the same. Each stands before the numbered step that it goes with.

    A prompt is an item of its own, `mcp_approval_request`, and its end another, `mcp_approval_response`, for the protocol has these
    two; beside them go the named events of every surface. A question in words is a reasoning item. Nobody answers in the stream:
    the run waits, and is decided by its id.

    Args:
        run_id: the response's id.
        session_id: where it runs.
        principal: who asked for it.
        shows_prompts: whether prompts are told at all.

    Attributes:
        end: how it ended; `None` before.
    """

    def __init__(self, run_id: str, session_id: str, principal: str, *, shows_prompts: bool) -> None:
        self.end: End | None = None
        self._run_id = run_id
        self._session_id = session_id
        self._principal = principal
        self._shows_prompts = shows_prompts
        self._items: list[Item | None] = []
        self._growing: Growing | None = None
        self._calls: dict[str, str] = {}
        self._prompts: dict[str, tuple[str, ApprovalRecord]] = {}

    @property
    def output(self) -> list[Item]:
        """The items so far, but for what the agent took back."""
        finished = [item for item in self._items if item is not None]
        if self._growing is not None:
            finished.append(self._growing.end("in_progress")[0])
        return finished

    def add(self, event: e.Event) -> list[Step]:
        """Take in the run's next event; the steps that it makes. After the end there are none."""
        if self.end is not None:
            return []
        match event:
            case e.TextAppended():
                return self._speak(ANSWER, event.text)
            case e.ThoughtAppended():
                return self._speak(THOUGHT, event.text)
            case e.AnswerRestarted():
                return self._take_back()
            case e.ToolStarted():
                return self._call(event)
            case e.ToolEnded():
                return self._call_ended(event)
            case e.AdmissionSettled():
                return self._settled(event.outcome, event.result)
            case e.AdmissionLost():
                return self._finish("incomplete", LOST, LOST.error_code)
            case e.AdmissionResumed():
                return self._resumed(event)
            case _:
                return self._about_prompts(event) if self._shows_prompts else []

    def _speak(self, voice: Voice, text: str) -> list[Step]:
        steps: list[Step] = []
        if self._growing is None or self._growing.voice is not voice:
            steps = self._close("completed")
            self._growing = Growing(voice, *self._next(voice.prefix))
            steps += self._growing.begin()
        return [*steps, self._growing.add(text)]

    def _take_back(self) -> list[Step]:
        """The answer starts over: what was said and thought is no part of it, though it was streamed."""
        steps = self._close("incomplete")
        self._items = [
            None if item is not None and items.is_taken_back(item) else item for item in self._items
        ]
        return [("message.restarted", {"event": "message.restarted", "run_id": self._run_id}), *steps]

    def _call(self, event: e.ToolStarted) -> list[Step]:
        if event.tool.startswith("_") or event.call_id in self._calls:
            return []
        steps = self._close("completed")
        item_id, index = self._next("fc")
        # A model may use an id again, and clients tell calls apart by it.
        used = any(item is not None and item.get("call_id") == event.call_id for item in self._items)
        call_id = self._calls[event.call_id] = f"{event.call_id}_{index}" if used else event.call_id
        arguments = items.arguments_of(event.preview)
        begun = items.function_call(item_id, call_id, event.tool, "", "in_progress")
        item = self._items[index] = items.function_call(item_id, call_id, event.tool, arguments, "completed")
        place = {"item_id": item_id, "output_index": index}
        name = "response.function_call_arguments"
        return [
            *steps,
            ("response.output_item.added", {"output_index": index, "item": begun}),
            (f"{name}.delta", {**place, "delta": arguments}),
            (f"{name}.done", {**place, "name": event.tool, "arguments": arguments}),
            ("response.output_item.done", {"output_index": index, "item": item}),
        ]

    def _call_ended(self, event: e.ToolEnded) -> list[Step]:
        call_id = self._calls.pop(event.call_id, None)
        if call_id is None:
            return []
        steps = self._close("completed")
        item_id, _ = self._next("fco")
        return steps + self._whole(
            items.function_call_output(item_id, call_id, event.result, failed=event.failed)
        )

    def _about_prompts(self, event: e.Event) -> list[Step]:
        match event:
            case e.ApprovalOpened():
                return self._asked(event)
            case e.ApprovalExpiring() | e.ApprovalExtended():
                return [self._aside(views.approval_event(event))]
            case e.ApprovalDecided() | e.ApprovalClosed() if event.request_id in self._prompts:
                return self._answered(event)
            case _:
                return []

    def _asked(self, event: e.ApprovalOpened) -> list[Step]:
        row = ApprovalRecord(
            prompt=event.prompt,
            session_id=self._session_id,
            principal=self._principal,
            generation=event.generation,
            status=ApprovalStatus.OPEN,
        )
        record = views.approval_request(row, self._run_id)
        in_words = event.prompt.kind == CLARIFY
        steps = self._close("completed")
        item_id, _ = self._next("rs" if in_words else "mcpr")
        self._prompts[event.prompt.request_id] = (item_id, row)
        item = items.question(item_id, record) if in_words else items.approval_request(item_id, record)
        return [self._aside(record), *steps, *self._whole(item)]

    def _answered(self, event: e.ApprovalDecided | e.ApprovalClosed) -> list[Step]:
        asked_by, row = self._prompts.pop(event.request_id)
        told = self._aside(views.approval_event(event))
        if row.prompt.kind == CLARIFY:
            return [told]
        steps = self._close("completed")
        answer = items.approval_response(self._next("mcpa")[0], asked_by, event)
        return [told, *steps, *self._whole(answer)]

    def _resumed(self, event: e.AdmissionResumed) -> list[Step]:
        """After a restart it goes on, and its open prompts wait under a new generation."""
        self._prompts = {
            key: (item_id, replace(row, generation=event.generation))
            for key, (item_id, row) in self._prompts.items()
        }
        records = [views.approval_request(row, self._run_id) for _, row in self._prompts.values()]
        again: dict[str, Any] = {"placet": {"approvals": records}} if records else {}
        return [*map(self._aside, records), ("response.in_progress", again)]

    def _settled(self, outcome: Outcome, result: TurnResult) -> list[Step]:
        cut = _CUT.get(result.finish_reason) if outcome is Outcome.COMPLETED else None
        if cut is not None:
            return self._finish("incomplete", result, cut)
        return self._finish(_STATUS[outcome], result, result.error_code)

    def _finish(self, status: str, result: TurnResult, code: str | None) -> list[Step]:
        steps = self._close("completed" if status == "completed" else "incomplete")
        self.end = End(status, code, result.error, result.usage)
        return [*steps, (f"response.{status}", {})]

    def _aside(self, record: dict[str, Any]) -> Step:
        return record["event"], {"run_id": self._run_id, **record}

    def _next(self, prefix: str) -> tuple[str, int]:
        """The id and the place of the next item. Nothing may be growing."""
        index = len(self._items)
        self._items.append(None)
        return f"{prefix}_{self._run_id.partition('_')[2]}{index:04x}", index

    def _close(self, status: str) -> list[Step]:
        """End what is growing."""
        if self._growing is None:
            return []
        item, steps = self._growing.end(status)
        self._items[self._growing.index] = item
        self._growing = None
        return steps

    def _whole(self, item: Item) -> list[Step]:
        """The steps of an item that is finished as it appears, at the place that was reserved last."""
        index = len(self._items) - 1
        self._items[index] = item
        shown = {"output_index": index, "item": items.in_stream(item)}
        return [("response.output_item.added", shown), ("response.output_item.done", shown)]
