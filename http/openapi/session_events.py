"""The events of a session's chat, described: what `session_stream` renders."""

from __future__ import annotations

from typing import Any, Final, Literal

from placet.http.openapi.codes import ErrorObject
from placet.http.openapi.operation import Stream
from placet.http.openapi.records import (
    ApprovalEnded,
    ApprovalRequest,
    ClarifyRequest,
    ClarifySettled,
    Steered,
    Usage,
)
from placet.http.record import Record


class SessionEvent(Record, frozen=True, kw_only=True):
    """What every event of a session's chat says.

    Attributes:
        seq: its place in the session's log.
        ts: Unix seconds.
    """

    session_id: str
    run_id: str
    seq: int
    ts: float


class SessionRunStarted(SessionEvent, frozen=True, kw_only=True):
    """The stream begins."""

    user_message: str


class MessageHead(Record, frozen=True, kw_only=True):
    """Whose message begins."""

    id: str
    role: Literal["assistant"]


class SessionMessageStarted(SessionEvent, frozen=True, kw_only=True):
    """The answer begins."""

    message: MessageHead


class SessionMessageEvent(SessionEvent, frozen=True, kw_only=True):
    """Something happened to the answer."""

    message_id: str


class SessionDelta(SessionMessageEvent, frozen=True, kw_only=True):
    """A piece of the answer."""

    delta: str


class SessionToolProgress(SessionEvent, frozen=True, kw_only=True):
    """A piece of a tool's output; of the model's reasoning if `tool_name` is `_thinking`."""

    delta: str
    tool_name: str | None = None
    tool_call_id: str | None = None


class SessionToolStarted(SessionEvent, frozen=True, kw_only=True):
    """A tool has started."""

    tool_name: str
    tool_call_id: str
    preview: str | None


class SessionToolEnded(SessionEvent, frozen=True, kw_only=True):
    """A tool has ended.

    Attributes:
        duration: seconds.
    """

    tool_name: str
    tool_call_id: str
    duration: float


class SessionPrompt(ApprovalRequest, frozen=True, kw_only=True):
    """A prompt."""

    message_id: str
    seq: int
    ts: float


class SessionQuestion(ClarifyRequest, frozen=True, kw_only=True):
    """A question."""

    message_id: str
    seq: int
    ts: float


class SessionQuestionEnded(ClarifySettled, frozen=True, kw_only=True):
    """A question that was shown has ended."""

    session_id: str
    seq: int
    ts: float


class SessionSteered(Steered, frozen=True, kw_only=True):
    """The run was told something while it ran."""

    session_id: str
    seq: int
    ts: float


class SessionPromptEnded(ApprovalEnded, frozen=True, kw_only=True):
    """A prompt that was shown has ended."""

    session_id: str
    seq: int
    ts: float


class SessionPromptExpiring(SessionEvent, frozen=True, kw_only=True):
    """A prompt will expire then: soon, or later than it would have."""

    request_id: str
    expires_at: float


class SessionAnswerWhole(SessionMessageEvent, frozen=True, kw_only=True):
    """The answer, as much of it as there is."""

    content: str
    finish_reason: str | None
    completed: bool
    partial: bool
    interrupted: bool


class SessionRunEnded(SessionEvent, frozen=True, kw_only=True):
    """The run has ended; if not well, with an `error` that says why."""

    messages: list[dict[str, Any]]
    usage: Usage
    error: ErrorObject | None = None


class SessionFailure(ErrorObject, frozen=True, kw_only=True):
    """Why there is no whole answer."""

    session_id: str
    run_id: str
    seq: int
    ts: float


EVENTS: Final = Stream(
    events=(
        ("run.started", SessionRunStarted),
        ("run.resumed", SessionEvent),
        ("run.caught_up", SessionEvent),
        ("message.started", SessionMessageStarted),
        ("message.restarted", SessionMessageEvent),
        ("assistant.delta", SessionDelta),
        ("tool.started", SessionToolStarted),
        ("tool.progress", SessionToolProgress),
        ("tool.completed", SessionToolEnded),
        ("tool.failed", SessionToolEnded),
        ("approval.request", SessionPrompt),
        ("clarify.request", SessionQuestion),
        ("clarify.settled", SessionQuestionEnded),
        ("run.steered", SessionSteered),
        ("approval.expiring", SessionPromptExpiring),
        ("approval.extended", SessionPromptExpiring),
        ("approval.responded", SessionPromptEnded),
        ("approval.settled", SessionPromptEnded),
        ("assistant.completed", SessionAnswerWhole),
        ("error", SessionFailure),
        ("run.completed", SessionRunEnded),
        ("run.failed", SessionRunEnded),
        ("run.cancelled", SessionRunEnded),
        ("run.interrupted", SessionRunEnded),
        ("done", SessionEvent),
    )
)
