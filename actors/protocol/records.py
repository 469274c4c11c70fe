"""What the store tells of the present: rows, as they are read."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Prompt
from placet.actors.protocol.conversation import ChatMessage, TurnInput, TurnResult
from placet.actors.protocol.events import Outcome


class AdmissionStatus(Enum):
    """Where an admission stands; the table of moves is in the session's core."""

    QUEUED = "queued"
    STARTED = "started"
    UNKNOWN = "unknown"
    TERMINAL = "terminal"


class RunStatus(Enum):
    """Where a run stands, in the words of the wire."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting_for_approval"
    STOPPING = "stopping"
    UNKNOWN = "unknown"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    REJECTED = "rejected"


class AdmissionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the ledger.

    Attributes:
        seq: its place in the whole ledger; within a session, the order of the queue.
        stopping: whether someone asked its running turn to stop.
        fingerprint: sha256 of what the request meant.
        created_at: Unix seconds, as is `updated_at`.
        steering: what its turn was told while it ran and has not read yet.
    """

    admission_id: str
    session_id: str
    principal: str
    surface: str
    seq: int
    status: AdmissionStatus
    outcome: Outcome | None
    generation: int | None
    stopping: bool
    input: TurnInput
    result: TurnResult | None
    fingerprint: str
    created_at: float
    updated_at: float
    steering: tuple[str, ...] = ()


class ApprovalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt and how it stands.

    Attributes:
        generation: the prompt's current generation; it rises when its turn is resumed after a crash.
        principal: who submitted the admission that asks.
        choice: the answer's word, `None` while open or if nobody answered.
        warned: whether its coming expiry was announced.
        answer: what was answered to a question.
    """

    prompt: Prompt
    session_id: str
    principal: str
    generation: int
    status: ApprovalStatus
    choice: str | None = None
    decided_by: str | None = None
    decided_at: float | None = None
    reason: str | None = None
    rule_id: str | None = None
    warned: bool = False
    answer: str | None = None


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One session.

    Attributes:
        head_seq: the sequence number of its newest event.
        generation: of the newest claim or resumption; 0 if there was none.
        revision: raised by every settlement and every change of the session's own fields.
        parent: the session that it was forked from.
        archived: whether it was put away.
        pinned: whether it stands first.
        hidden: whether lists leave it out.
        unread: whether it has something that its owner has not seen.
        end_reason: why it ended, if it did, `ended_at`.
    """

    session_id: str
    principal: str
    source: str
    ephemeral: bool
    title: str | None
    system_prompt: str | None
    head_seq: int
    generation: int
    revision: int
    created_at: float
    last_active: float
    parent: str | None = None
    archived: bool = False
    pinned: bool = False
    hidden: bool = False
    unread: bool = False
    end_reason: str | None = None
    ended_at: float | None = None


class SessionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of a session.

    Attributes:
        messages: in its conversation.
        prompt_tokens: of all its turns, as `completion_tokens`.
        first_words: the first message, as much of it as fits in a line; empty if there is none.
        status: where the run stands that works or waits in it; `None` if none does.
        queued: inputs that wait.
    """

    messages: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    first_words: str = ""
    status: RunStatus | None = None
    queued: int = 0


class MessageRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a conversation.

    Attributes:
        message_id: its identity in the session.
        message: what was said.
        admission_id: the admission that it belongs to; `None` if it was inherited from another session.
        at: Unix seconds.
    """

    message_id: str
    message: ChatMessage
    admission_id: str | None
    at: float


class SessionSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What an actor needs to take a session up: the session, what is not yet settled in queue order, and their prompts."""

    session: SessionRecord
    admissions: tuple[AdmissionRecord, ...]
    approvals: tuple[ApprovalRecord, ...]


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What an `Idempotency-Key` stands for.

    Attributes:
        run_id: the run's first public id, if its session was deleted since: then only its result is left.
    """

    admission_id: str
    session_id: str
    fingerprint: str
    run_id: str | None = None


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A public run id with the admission that it names and all that this admission ever asked."""

    run_id: str
    surface: str
    admission: AdmissionRecord
    approvals: tuple[ApprovalRecord, ...]


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a turn's journal.

    Attributes:
        step: its key: scope, kind, name, argument digest and occurrence.
        call_id: of a tool, what clients know the call by.
        ended: whether its result is there; a tool that has started and not ended has an unknown outcome.
        result: what the agent was given.
        failed: whether a tool failed.
        started: of a tool, the position in the log of its latest start: each start has its own.
    """

    step: str
    call_id: str | None
    ended: bool
    result: Any
    failed: bool
    started: int = 0
