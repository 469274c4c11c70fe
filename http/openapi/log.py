"""The events of a log stream, described: what a viewer of a run or of a session is told."""

from typing import Final, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.codes import ErrorObject
from placet.http.openapi.operation import Stream
from placet.http.openapi.records import (
    ApprovalRequest,
    ClarifyRequest,
    ClarifySettled,
    Steered,
    Usage,
)
from placet.http.record import Record


class LogEvent(Record, frozen=True, kw_only=True):
    """What every event of a log says.

    Attributes:
        event: the event's name, once more.
        run_id: the run that it is about; null if it is about none.
        seq: its place in the session's log, the same as its id.
        timestamp: Unix seconds.
    """

    event: str
    run_id: str | None
    session_id: str
    seq: int
    timestamp: float


class LogQueued(LogEvent, frozen=True, kw_only=True):
    """An input was taken into the queue."""

    admission_id: str
    input: str


class LogSession(LogEvent, frozen=True, kw_only=True):
    """The session was made, or changed: then it says what of it."""

    title: str | None = None


class LogGeneration(LogEvent, frozen=True, kw_only=True):
    """A run was started, was resumed after a crash, or was lost with its server."""

    execution_generation: int


class LogDelta(LogEvent, frozen=True, kw_only=True):
    """A piece of the answer."""

    delta: str


class LogThought(LogEvent, frozen=True, kw_only=True):
    """A piece of the model's reasoning."""

    text: str


class LogToolStarted(LogEvent, frozen=True, kw_only=True):
    """A tool has started."""

    tool: str
    tool_call_id: str
    preview: str | None


class LogToolProgress(LogEvent, frozen=True, kw_only=True):
    """A piece of a tool's output."""

    tool_call_id: str
    delta: str


class LogToolCompleted(LogEvent, frozen=True, kw_only=True):
    """A tool has ended.

    Attributes:
        duration: seconds.
        error: whether it failed.
        preview: the beginning of its result.
    """

    tool: str
    tool_call_id: str
    duration: float
    error: bool
    preview: str


class LogPrompt(ApprovalRequest, frozen=True, kw_only=True):
    """A prompt. Read in the past it shows how it stands now."""

    seq: int
    status: ApprovalStatus


class LogQuestion(ClarifyRequest, frozen=True, kw_only=True):
    """A question. Read in the past it shows how it stands now."""

    seq: int
    status: ApprovalStatus


class LogQuestionEnded(ClarifySettled, frozen=True, kw_only=True):
    """A question was answered, expired or was cancelled."""

    session_id: str
    seq: int
    timestamp: float


class LogSteered(Steered, frozen=True, kw_only=True):
    """The run was told something while it ran."""

    session_id: str
    seq: int
    timestamp: float


class LogPromptExpiring(LogEvent, frozen=True, kw_only=True):
    """A prompt will expire then: soon, or later than it would have."""

    request_id: str
    prompt_id: str
    expires_at: float


class LogPromptEnded(LogEvent, frozen=True, kw_only=True):
    """A prompt was decided, expired or was cancelled."""

    request_id: str
    prompt_id: str
    status: ApprovalStatus
    choice: Choice | None
    decided_by: str
    reason: str | None


class LogGranted(LogEvent, frozen=True, kw_only=True):
    """A rule allowed what a person would have been asked about."""

    request_id: str
    prompt_id: str
    tool: str
    command: str
    display: str
    path: str
    rule_id: str


class LogStopping(LogEvent, frozen=True, kw_only=True):
    """Somebody asked the run to stop."""

    by: str


class LogEnd(LogEvent, frozen=True, kw_only=True):
    """A run has ended; if not well, with an `error` that says why.

    Attributes:
        output: the answer, or as much of it as there is.
        finish_reason: why the answer of a completed run ends where it does: `stop`, or what cut it.
    """

    output: str
    finish_reason: str | None
    usage: Usage
    completed: bool
    partial: bool
    interrupted: bool
    error: ErrorObject | None = None


class LogTruncated(Record, frozen=True, kw_only=True):
    """What the reader had seen in pieces was merged meanwhile, and comes as a whole."""

    event: Literal["replay.truncated"]
    requested_seq: int


class LogError(ErrorObject, frozen=True, kw_only=True):
    """The stream cannot go on."""

    event: Literal["error"]


LOG: Final = Stream(
    events=(
        ("session.created", LogSession),
        ("session.updated", LogSession),
        ("run.queued", LogQueued),
        ("run.started", LogGeneration),
        ("run.resumed", LogGeneration),
        ("run.unknown", LogGeneration),
        ("run.stopping", LogStopping),
        ("message.delta", LogDelta),
        ("message.restarted", LogEvent),
        ("reasoning.available", LogThought),
        ("tool.started", LogToolStarted),
        ("tool.progress", LogToolProgress),
        ("tool.completed", LogToolCompleted),
        ("approval.request", LogPrompt),
        ("clarify.request", LogQuestion),
        ("clarify.settled", LogQuestionEnded),
        ("run.steered", LogSteered),
        ("approval.expiring", LogPromptExpiring),
        ("approval.extended", LogPromptExpiring),
        ("approval.responded", LogPromptEnded),
        ("approval.settled", LogPromptEnded),
        ("approval.granted", LogGranted),
        ("run.completed", LogEnd),
        ("run.failed", LogEnd),
        ("run.cancelled", LogEnd),
        ("run.interrupted", LogEnd),
        ("replay.truncated", LogTruncated),
        ("error", LogError),
    )
)
"""What `run_stream` renders."""
