"""What the store tells of the present: rows, as they are read."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Prompt
from placet.actors.protocol.conversation import TurnInput, TurnResult
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


class ApprovalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt and how it stands.

    Attributes:
        generation: the prompt's current generation; it rises when its turn is resumed after a crash.
        principal: who submitted the admission that asks.
        choice: the answer's word, `None` while open or if nobody answered.
        warned: whether its coming expiry was announced.
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


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One session.

    Attributes:
        head_seq: the sequence number of its newest event.
        generation: of the newest claim or resumption; 0 if there was none.
        revision: raised by every settlement and every change of the session's own fields.
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


class SessionSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What an actor needs to take a session up: the session, what is not yet settled in queue order, and their prompts."""

    session: SessionRecord
    admissions: tuple[AdmissionRecord, ...]
    approvals: tuple[ApprovalRecord, ...]


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What an `Idempotency-Key` stands for."""

    admission_id: str
    session_id: str
    fingerprint: str


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
    """

    step: str
    call_id: str | None
    ended: bool
    result: Any
    failed: bool
