"""The only write language: what has happened, in the past tense.

A session's events form its stream, numbered by `seq`; what is server-wide (rules, the audit chain) is the stream `_server`. The
store appends events and projects them into tables in the same transaction. Nothing else writes.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Choice, Prompt, Rule
from placet.actors.protocol.conversation import TurnInput, TurnResult
from placet.actors.protocol.filing import ResponseFiled as ResponseFiled
from placet.actors.protocol.filing import ResponseForgotten as ResponseForgotten

SERVER_STREAM = "_server"
"""No session id begins with an underscore."""

EVENT_VERSION = 1
"""Raised when the meaning of a stored event changes; a store that holds a higher one refuses to start."""


class Outcome(Enum):
    """How an admission ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class SessionOpened(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """A session exists. Always its stream's first event."""

    principal: str
    source: str = "api_server"
    ephemeral: bool = False
    title: str | None = None
    system_prompt: str | None = None


class AdmissionAccepted(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """An input was taken into the session's queue.

    Attributes:
        admission_id: its durable identity.
        principal: who submitted it.
        surface: by which door, the value of a `Surface`.
        input: what it asks.
        key: the `Idempotency-Key`, if one was sent.
        fingerprint: sha256 of what the request means, compared on a retry.
    """

    admission_id: str
    principal: str
    surface: str
    input: TurnInput
    key: str | None = None
    fingerprint: str = ""


class RunNamed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A public run id was given to an admission: with it, or later to a client that joined."""

    run_id: str
    admission_id: str
    surface: str


class AdmissionClaimed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The admission's turn starts under this generation."""

    admission_id: str
    generation: int


class AdmissionResumed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """After a restart the admission's turn goes on, replayed from its journal, under a new generation.

    Its open prompts wait on under that generation.
    """

    admission_id: str
    generation: int


class AdmissionLost(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The process that ran the turn is gone, and what the turn had done is not known."""

    admission_id: str
    generation: int


class StopRequested(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Someone asked the running turn to stop."""

    admission_id: str
    generation: int
    by: str


class AdmissionSettled(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The admission reached its end. `generation` is `None` for one that never started."""

    admission_id: str
    generation: int | None
    outcome: Outcome
    result: TurnResult


class TextAppended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The agent said something."""

    admission_id: str
    generation: int
    text: str


class ThoughtAppended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The agent thought something that it shows."""

    admission_id: str
    generation: int
    text: str


class AnswerRestarted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A model call is made again: the text so far counts from here."""

    admission_id: str
    generation: int


class ToolStarted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A tool is about to run. Recorded before it does.

    Attributes:
        step: its journal key.
        call_id: what clients know it by.
        tool: its name.
        preview: its arguments, masked and escaped, for people.
    """

    admission_id: str
    generation: int
    step: str
    call_id: str
    tool: str
    preview: str


class ToolProgressed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A running tool printed something."""

    admission_id: str
    generation: int
    call_id: str
    text: str


class ToolEnded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A tool ended; `result` is what the agent was given, as JSON."""

    admission_id: str
    generation: int
    step: str
    call_id: str
    tool: str
    failed: bool
    duration_s: float
    result: Any


class StepEnded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A journaled step has its result, which a replay is given instead of running it again."""

    admission_id: str
    generation: int
    step: str
    result: Any


class ApprovalOpened(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A person is asked. Recorded before anyone is shown it."""

    generation: int
    prompt: Prompt


class ApprovalGranted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A rule answered in a person's place; nobody was asked."""

    generation: int
    prompt: Prompt
    rule_id: str


class ApprovalExpiring(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A prompt is about to expire."""

    admission_id: str
    request_id: str
    expires_at: float


class ApprovalExtended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A prompt waits longer than it was to.

    Attributes:
        expires_at: until when, Unix seconds.
        by: the principal who asked for it.
    """

    admission_id: str
    request_id: str
    expires_at: float
    by: str


class ApprovalDecided(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A person answered.

    Attributes:
        choice: the answer.
        status: approved or denied.
        by: the principal who answered.
        origin: from where, such as `http 127.0.0.1`.
        reason: free text.
        rule_id: the rule that this answer made, if it is to be remembered.
    """

    admission_id: str
    request_id: str
    choice: Choice
    status: ApprovalStatus
    by: str
    origin: str
    reason: str
    rule_id: str | None


class ApprovalClosed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A prompt ended without an answer: expired, or cancelled with the turn that asked."""

    admission_id: str
    request_id: str
    status: ApprovalStatus
    cause: str


class RuleAdded(msgspec.Struct, frozen=True, tag=True):
    """On the server's stream: an approval is remembered."""

    rule: Rule


class RuleRevoked(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """On the server's stream: a rule no longer holds."""

    rule_id: str
    by: str


class DecisionRecorded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """On the server's stream: one link of the audit chain.

    Attributes:
        digest: binds the action that was decided.
        command: its masked text.
        choice: `None` where nobody chose.
        by: a principal, `rule:<id>`, or `placet` for an expiry or a cancellation.
    """

    request_id: str
    admission_id: str
    session_id: str
    generation: int
    tool: str
    command: str
    digest: str
    choice: Choice | None
    status: ApprovalStatus
    by: str
    origin: str
    reason: str
    rule_id: str | None


Output = (
    TextAppended | ThoughtAppended | AnswerRestarted | ToolStarted | ToolProgressed | ToolEnded | StepEnded
)
"""What a running turn records."""

SessionEvent = (
    SessionOpened
    | AdmissionAccepted
    | RunNamed
    | ResponseFiled
    | ResponseForgotten
    | AdmissionClaimed
    | AdmissionResumed
    | AdmissionLost
    | StopRequested
    | AdmissionSettled
    | TextAppended
    | ThoughtAppended
    | AnswerRestarted
    | ToolStarted
    | ToolProgressed
    | ToolEnded
    | StepEnded
    | ApprovalOpened
    | ApprovalGranted
    | ApprovalExpiring
    | ApprovalExtended
    | ApprovalDecided
    | ApprovalClosed
)
ServerEvent = RuleAdded | RuleRevoked | DecisionRecorded
Event = SessionEvent | ServerEvent


class Recorded:
    """An event with its place in the log. One object is shared by all who watch.

    Attributes:
        stream: the session id, or `_server`.
        seq: its number in its stream.
        position: its number in the whole log.
        at: when it was recorded, Unix seconds.
        event: what happened.
        size_bytes: how large it is in the log.
        encoded: forms of it that a wire made, by the wire's own name for the form; each is made once for all watchers.
    """

    __slots__ = ("at", "encoded", "event", "position", "seq", "size_bytes", "stream")

    def __init__(
        self, stream: str, seq: int, position: int, at: float, event: Event, size_bytes: int = 0
    ) -> None:
        self.stream = stream
        self.seq = seq
        self.position = position
        self.at = at
        self.event = event
        self.size_bytes = size_bytes
        self.encoded: dict[str, bytes] = {}

    def __repr__(self) -> str:
        return f"Recorded({self.stream!r}, {self.seq}, {self.event!r})"
