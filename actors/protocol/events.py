"""The only write language: what has happened, in the past tense.

A session's events form its stream, numbered by `seq`; what is server-wide (rules, the audit chain) is the stream `_server`. The
store appends events and projects them into tables in the same transaction. Nothing else writes.
"""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec import UNSET, UnsetType

from placet.actors.protocol.approval_events import ApprovalClosed as ApprovalClosed
from placet.actors.protocol.approval_events import ApprovalDecided as ApprovalDecided
from placet.actors.protocol.approval_events import ApprovalExpiring as ApprovalExpiring
from placet.actors.protocol.approval_events import ApprovalExtended as ApprovalExtended
from placet.actors.protocol.approval_events import ApprovalGranted as ApprovalGranted
from placet.actors.protocol.approval_events import ApprovalOpened as ApprovalOpened
from placet.actors.protocol.approval_events import DecisionRecorded as DecisionRecorded
from placet.actors.protocol.approval_events import RuleAdded as RuleAdded
from placet.actors.protocol.approval_events import RuleRevoked as RuleRevoked
from placet.actors.protocol.conversation import ChatMessage, TurnInput, TurnResult
from placet.actors.protocol.filing import ResponseFiled as ResponseFiled
from placet.actors.protocol.filing import ResponseForgotten as ResponseForgotten
from placet.actors.protocol.keys import KeyUse
from placet.actors.protocol.turn_events import AnswerRestarted as AnswerRestarted
from placet.actors.protocol.turn_events import MessageKept as MessageKept
from placet.actors.protocol.turn_events import Output as Output
from placet.actors.protocol.turn_events import SteeringTaken as SteeringTaken
from placet.actors.protocol.turn_events import StepEnded as StepEnded
from placet.actors.protocol.turn_events import TextAppended as TextAppended
from placet.actors.protocol.turn_events import ThoughtAppended as ThoughtAppended
from placet.actors.protocol.turn_events import ToolEnded as ToolEnded
from placet.actors.protocol.turn_events import ToolProgressed as ToolProgressed
from placet.actors.protocol.turn_events import ToolStarted as ToolStarted

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
    """A session exists. Always its stream's first event.

    Attributes:
        principal: who owns it.
        source: by which door it came.
        ephemeral: whether no request named it, so that it is deleted by itself.
        title: what people call it.
        system_prompt: its system-level text.
        parent: the session that it was forked from.
        inherited: what had been said there.
        use: the key under which it was asked for.
    """

    principal: str
    source: str = "api_server"
    ephemeral: bool = False
    title: str | None = None
    system_prompt: str | None = None
    parent: str | None = None
    inherited: tuple[ChatMessage, ...] = ()
    use: KeyUse | None = None


class SessionChanged(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """What people keep about a session has changed. A field that is not set is as it was.

    Attributes:
        title: what people call it, `None` for no title.
        archived: whether it was put away.
        pinned: whether it stands first.
        hidden: whether lists leave it out.
        unread: whether it has something that its owner has not seen.
        end_reason: why it ended, `None` if it goes on after all.
    """

    title: str | UnsetType | None = UNSET
    archived: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    unread: bool | UnsetType = UNSET
    end_reason: str | UnsetType | None = UNSET


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


class SteeringReceived(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Someone told the running turn something. What its agent never reads becomes an input of its own when the turn ends.

    Attributes:
        use: the key under which it was told.
    """

    admission_id: str
    generation: int
    text: str
    by: str
    use: KeyUse | None = None


class AdmissionSettled(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The admission reached its end. `generation` is `None` for one that never started."""

    admission_id: str
    generation: int | None
    outcome: Outcome
    result: TurnResult


SessionEvent = (
    SessionOpened
    | SessionChanged
    | AdmissionAccepted
    | RunNamed
    | ResponseFiled
    | ResponseForgotten
    | AdmissionClaimed
    | AdmissionResumed
    | AdmissionLost
    | StopRequested
    | SteeringReceived
    | AdmissionSettled
    | TextAppended
    | ThoughtAppended
    | AnswerRestarted
    | ToolStarted
    | ToolProgressed
    | ToolEnded
    | StepEnded
    | MessageKept
    | SteeringTaken
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
