"""What a session is, as a value, and which moves it can make.

Events are the only thing that changes it: `apply(session, event)` gives the next value or says that the move is impossible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus, Prompt
from placet.actors.protocol.records import AdmissionStatus, ApprovalRecord, SessionSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

ADMISSION_MOVES: dict[tuple[AdmissionStatus | None, type[Any]], AdmissionStatus] = {
    (None, e.AdmissionAccepted): AdmissionStatus.QUEUED,
    (AdmissionStatus.QUEUED, e.AdmissionClaimed): AdmissionStatus.STARTED,
    (AdmissionStatus.STARTED, e.AdmissionResumed): AdmissionStatus.STARTED,
    (AdmissionStatus.STARTED, e.StopRequested): AdmissionStatus.STARTED,
    (AdmissionStatus.STARTED, e.SteeringReceived): AdmissionStatus.STARTED,
    (AdmissionStatus.STARTED, e.SteeringTaken): AdmissionStatus.STARTED,
    (AdmissionStatus.STARTED, e.AdmissionLost): AdmissionStatus.UNKNOWN,
    (AdmissionStatus.QUEUED, e.AdmissionSettled): AdmissionStatus.TERMINAL,
    (AdmissionStatus.STARTED, e.AdmissionSettled): AdmissionStatus.TERMINAL,
    (AdmissionStatus.UNKNOWN, e.AdmissionSettled): AdmissionStatus.TERMINAL,
}
"""Every move of an admission. What is not here cannot happen: nothing returns to the queue, nothing leaves the end."""

APPROVAL_MOVES: dict[tuple[ApprovalStatus, type[Any]], bool] = {
    (ApprovalStatus.OPEN, e.ApprovalExpiring): True,
    (ApprovalStatus.OPEN, e.ApprovalExtended): True,
    (ApprovalStatus.OPEN, e.ApprovalDecided): False,
    (ApprovalStatus.OPEN, e.ApprovalClosed): False,
}
"""Every move of a prompt, and whether it is still open after it. So every prompt ends exactly once."""


class ImpossibleEvent(Exception):
    """An event that no table allows here: the log and the state disagree, so the actor must start again from the store."""


class Admission(msgspec.Struct, frozen=True):
    """An admission that is not settled.

    Attributes:
        generation: of its claim; `None` while it is queued.
        stopping: whether it was asked to stop.
        steering: what its turn was told and has not read yet.
    """

    admission_id: str
    principal: str
    status: AdmissionStatus
    generation: int | None = None
    stopping: bool = False
    steering: tuple[str, ...] = ()


class Session(msgspec.Struct, frozen=True):
    """One session as its actor holds it.

    Attributes:
        session_id: which.
        principal: who owns it; `None` if it does not exist yet.
        generation: of the newest claim or resumption.
        queue: what is not settled, in order; only the first may be started or unknown.
        prompts: all that the admissions of the queue ever asked, by request id, in the order of asking.
    """

    session_id: str
    principal: str | None = None
    generation: int = 0
    queue: tuple[Admission, ...] = ()
    prompts: dict[str, ApprovalRecord] = {}

    @property
    def head(self) -> Admission | None:
        """The admission that runs or is next."""
        return self.queue[0] if self.queue else None

    @property
    def running(self) -> Admission | None:
        """The admission whose turn runs."""
        head = self.head
        return head if head is not None and head.status is AdmissionStatus.STARTED else None

    def admission(self, admission_id: str) -> Admission | None:
        """The unsettled admission of that id."""
        return next((item for item in self.queue if item.admission_id == admission_id), None)

    def prompts_of(self, admission_id: str) -> tuple[ApprovalRecord, ...]:
        """All that this unsettled admission ever asked."""
        return tuple(item for item in self.prompts.values() if item.prompt.admission_id == admission_id)

    @property
    def open_prompts(self) -> tuple[ApprovalRecord, ...]:
        """What waits for a person."""
        return tuple(item for item in self.prompts.values() if item.status is ApprovalStatus.OPEN)


def from_snapshot(snapshot: SessionSnapshot) -> Session:
    """The value that the store's rows describe: the same as folding the session's events."""
    return Session(
        session_id=snapshot.session.session_id,
        principal=snapshot.session.principal,
        generation=snapshot.session.generation,
        queue=tuple(
            Admission(row.admission_id, row.principal, row.status, row.generation, row.stopping, row.steering)
            for row in snapshot.admissions
        ),
        prompts={row.prompt.request_id: row for row in snapshot.approvals},
    )


def apply(session: Session, event: e.Event, at: float) -> Session:
    """The session after the event, which was recorded at `at` (Unix seconds).

    Raises:
        ImpossibleEvent: the tables do not allow it.
    """
    applier = _APPLIERS.get(type(event))
    return session if applier is None else applier(session, event, at)


def _opened(session: Session, event: e.SessionOpened, _at: float) -> Session:
    if session.principal is not None:
        raise ImpossibleEvent(f"{session.session_id} is opened twice")
    return replace(session, principal=event.principal)


def _accepted(session: Session, event: e.AdmissionAccepted, _at: float) -> Session:
    if session.principal is None or session.admission(event.admission_id) is not None:
        raise ImpossibleEvent(f"{event.admission_id} is accepted out of turn")
    status = ADMISSION_MOVES[None, e.AdmissionAccepted]
    return replace(session, queue=(*session.queue, Admission(event.admission_id, event.principal, status)))


def _started(session: Session, event: e.AdmissionClaimed | e.AdmissionResumed, _at: float) -> Session:
    if event.generation <= session.generation:
        raise ImpossibleEvent(f"generation {event.generation} after {session.generation}")
    session = _move(session, event, generation=event.generation)
    resumed = {
        key: replace(row, generation=event.generation) if row.status is ApprovalStatus.OPEN else row
        for key, row in session.prompts.items()
    }
    return replace(session, generation=event.generation, prompts=resumed)


def _stop_requested(session: Session, event: e.StopRequested, _at: float) -> Session:
    return _move(session, event, stopping=True)


def _steered(session: Session, event: e.SteeringReceived, _at: float) -> Session:
    return _move(session, event, steering=(*_fenced(session, event).steering, event.text))


def _read(session: Session, event: e.SteeringTaken, _at: float) -> Session:
    waiting = _fenced(session, event).steering
    if waiting[: len(event.texts)] != event.texts:
        raise ImpossibleEvent(f"{event.texts} was read and {waiting} was said")
    return _move(session, event, steering=waiting[len(event.texts) :])


def _fenced(session: Session, event: e.SteeringReceived | e.SteeringTaken) -> Admission:
    running = session.running
    if running is None or running.generation != event.generation:
        raise ImpossibleEvent(f"{type(event).__name__} is of another generation than {running}")
    return running


def _lost(session: Session, event: e.AdmissionLost, _at: float) -> Session:
    return _move(session, event)


def _settled(session: Session, event: e.AdmissionSettled, _at: float) -> Session:
    _move(session, event)
    open_ones = [row for row in session.prompts_of(event.admission_id) if row.status is ApprovalStatus.OPEN]
    if open_ones:
        raise ImpossibleEvent(f"{event.admission_id} is settled with {len(open_ones)} open prompts")
    return replace(
        session,
        queue=tuple(item for item in session.queue if item.admission_id != event.admission_id),
        prompts={
            key: row for key, row in session.prompts.items() if row.prompt.admission_id != event.admission_id
        },
    )


def _move(session: Session, event: Any, **changes: Any) -> Session:
    """The session with the event's admission moved as the table says."""
    admission = session.admission(event.admission_id)
    moved = None if admission is None else ADMISSION_MOVES.get((admission.status, type(event)))
    if (
        admission is None
        or moved is None
        or (moved is not AdmissionStatus.TERMINAL and admission != session.head)
    ):
        raise ImpossibleEvent(f"{type(event).__name__} does not fit {admission}")
    changed = replace(admission, status=moved, **changes)
    return replace(session, queue=tuple(changed if item is admission else item for item in session.queue))


def _asked(session: Session, event: e.ApprovalOpened, _at: float) -> Session:
    return _with_prompt(session, event.prompt, event.generation)


def _granted(session: Session, event: e.ApprovalGranted, at: float) -> Session:
    return _with_prompt(
        session,
        event.prompt,
        event.generation,
        status=ApprovalStatus.APPROVED,
        decided_by=f"rule:{event.rule_id}",
        decided_at=at,
        rule_id=event.rule_id,
    )


def _with_prompt(session: Session, prompt: Prompt, generation: int, **ended: Any) -> Session:
    running = session.running
    if running is None or (running.admission_id, running.generation) != (prompt.admission_id, generation):
        raise ImpossibleEvent(f"{prompt.request_id} is asked by a turn that does not run")
    if prompt.request_id in session.prompts:
        raise ImpossibleEvent(f"{prompt.request_id} is asked twice")
    row = ApprovalRecord(
        prompt=prompt,
        session_id=session.session_id,
        principal=running.principal,
        generation=generation,
        **{"status": ApprovalStatus.OPEN, **ended},
    )
    return replace(session, prompts={**session.prompts, prompt.request_id: row})


def _expiring(session: Session, event: e.ApprovalExpiring, _at: float) -> Session:
    return _with_approval(session, event, warned=True)


def _extended(session: Session, event: e.ApprovalExtended, _at: float) -> Session:
    row = session.prompts.get(event.request_id)
    prompt = None if row is None else replace(row.prompt, expires_at=event.expires_at)
    return _with_approval(session, event, prompt=prompt, warned=False)


def _decided(session: Session, event: e.ApprovalDecided, at: float) -> Session:
    return _with_approval(
        session,
        event,
        status=event.status,
        choice=event.choice.value,
        decided_by=event.by,
        decided_at=at,
        reason=event.reason,
        rule_id=event.rule_id,
    )


def _closed(session: Session, event: e.ApprovalClosed, at: float) -> Session:
    ended: dict[str, Any] = {"status": event.status, "decided_at": at, "reason": event.cause}
    if event.answer is not None:
        ended |= {"answer": event.answer, "decided_by": event.by}
    return _with_approval(session, event, **ended)


def _with_approval(session: Session, event: Any, **changes: Any) -> Session:
    row = session.prompts.get(event.request_id)
    if row is None or (row.status, type(event)) not in APPROVAL_MOVES:
        raise ImpossibleEvent(f"{type(event).__name__} does not fit {row}")
    return replace(session, prompts={**session.prompts, event.request_id: replace(row, **changes)})


_APPLIERS: dict[type[Any], Callable[[Session, Any, float], Session]] = {
    e.SessionOpened: _opened,
    e.AdmissionAccepted: _accepted,
    e.AdmissionClaimed: _started,
    e.AdmissionResumed: _started,
    e.StopRequested: _stop_requested,
    e.SteeringReceived: _steered,
    e.SteeringTaken: _read,
    e.AdmissionLost: _lost,
    e.AdmissionSettled: _settled,
    e.ApprovalOpened: _asked,
    e.ApprovalGranted: _granted,
    e.ApprovalExpiring: _expiring,
    e.ApprovalExtended: _extended,
    e.ApprovalDecided: _decided,
    e.ApprovalClosed: _closed,
}
"""Events that are not here (what a turn says, names of runs) change nothing that a decision depends on."""
