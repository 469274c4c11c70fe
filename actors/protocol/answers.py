"""What a session answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus, ApprovalRecord, SessionRecord

if TYPE_CHECKING:
    from placet.actors.protocol.events import Recorded


class Tail(Protocol):
    """All that a session records from the moment of subscribing."""

    async def receive(self) -> list[Recorded]:
        """All that is new, at least one; waits for it. Ends by raising what the runtime's subscription raises."""
        ...

    def close(self) -> None:
        """Leave. Idempotent."""


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """A session as its client sees it."""

    session: SessionRecord


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """Where an admission stands, and its tail.

    Attributes:
        admission_id: its durable identity.
        run_id: the public id that was written for this client.
        joined: whether an earlier request had already made the admission.
        status: where it stands at this very cut.
        ahead: how many of the session's inputs run or wait before it.
        head_seq: the newest event before the tail; what is older is read from the store.
        tail: what comes after; `None` if the admission is terminal.
        asked: all that the admission has asked so far; empty if it is terminal.
    """

    admission_id: str
    run_id: str
    joined: bool
    status: AdmissionStatus
    ahead: int
    head_seq: int
    tail: Tail | None
    asked: tuple[ApprovalRecord, ...] = ()


class Watching(msgspec.Struct, frozen=True, kw_only=True):
    """A viewer's subscription, in one cut.

    Attributes:
        head_seq: the newest event before the tail; what is older is read from the store.
        tail: what comes after.
        unsettled: the admissions that run or wait, in order.
        asked: all that these have asked so far, as it stands.
    """

    head_seq: int
    tail: Tail
    unsettled: tuple[str, ...] = ()
    asked: tuple[ApprovalRecord, ...] = ()

    @property
    def prompts(self) -> tuple[ApprovalRecord, ...]:
        """What waits for a person."""
        return tuple(row for row in self.asked if row.status is ApprovalStatus.OPEN)


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that holds. `fresh` says whether this very call made it."""

    approval: ApprovalRecord
    fresh: bool


class Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """An admission after a stop or a resolution; `stopping` while its turn still winds down."""

    admission: AdmissionRecord
    stopping: bool
