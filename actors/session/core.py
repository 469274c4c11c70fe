"""The session's decisions, without a clock, a disk or a loop.

Theory of operation

1. A decider, `decide(session, command, context) -> Plan`, looks at a value and says what would happen: the events to record,
   what they require of the store, and the answer. It changes nothing. Or it raises a `PlacetError`: the command is refused and
   nothing happens.
2. The actor records the events, all or none, and only then applies them (`state.apply`), acts on them and answers. So what is in
   memory never runs ahead of the disk, and a refused write leaves both as they were.
3. What the actor does about an event (start the turn, stop it, answer the agent that waits) follows from the event alone, so it
   needs no mention here.
4. Everything that a turn says about itself is fenced by its generation: a turn that was settled, resumed or lost cannot speak.
5. One admission runs at a time, in strict order. Whoever frees the head of the queue claims the next in the same write, if
   there is a slot for it.
6. A prompt ends exactly once: decided, expired, or cancelled with its turn. No admission is settled with a prompt open.
7. Every end of a prompt is also a link of the audit chain, in the same write.

Rejected: effects as a second list beside the events (they could disagree), and a claim as a command of its own after each
admission (one more commit on the way to the first token).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput
from placet.actors.protocol.errors import Conflict
from placet.actors.protocol.ids import Surface, new_id, new_run_id
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.records import AdmissionStatus, ApprovalRecord
from placet.actors.session.state import Admission, Session, apply
from placet.actors.store import Precondition, UseFree

if TYPE_CHECKING:
    from placet.actors.protocol.conversation import TurnResult
    from placet.actors.protocol.keys import KeyUse


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision may depend on beside the session.

    Attributes:
        now: Unix seconds.
        limits: the bounds in force.
        may_start: whether there is a slot to run the next turn.
    """

    now: float
    limits: Limits
    may_start: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be recorded, all or nothing.

    Attributes:
        events: for the session's stream.
        server: for the server's stream.
        requires: what must hold at the moment of writing.
        answer: for whoever asked, once it is recorded.
    """

    events: tuple[e.SessionEvent, ...] = ()
    server: tuple[e.ServerEvent, ...] = ()
    requires: tuple[Precondition, ...] = ()
    answer: Any = None

    def __add__(self, other: Plan) -> Plan:
        """Both plans in one write; the answer is that of the first which has one."""
        return Plan(
            events=self.events + other.events,
            server=self.server + other.server,
            requires=self.requires + other.requires,
            answer=other.answer if self.answer is None else self.answer,
        )


NOTHING = Plan()


def free(use: KeyUse | None) -> tuple[Precondition, ...]:
    """What must hold so that something is done under a key: that nothing was."""
    return () if use is None else (UseFree(use),)


Decider = Callable[[Session, Any, Context], Plan]


def fenced(session: Session, admission_id: str, generation: int | None) -> Admission:
    """The running admission, if it is that one under that generation.

    Raises:
        Conflict: `stale_generation`.
    """
    running = session.running
    if running is None or (running.admission_id, running.generation) != (admission_id, generation):
        stale_generation("That turn no longer runs under that generation.")
    return running


def stale_generation(message: str) -> NoReturn:
    """Refuse what speaks for a generation that is not the current one."""
    raise Conflict(message, code="stale_generation")


def claim(session: Session, after: str | None, context: Context) -> Plan:
    """Start the next queued admission, if there is a slot.

    Args:
        session: as it is now.
        after: the admission that leaves the head of the queue in the same write, if one does.
        context: says whether there is a slot.
    """
    waiting = [item for item in session.queue if item.admission_id != after]
    if not context.may_start or not waiting or waiting[0].status is not AdmissionStatus.QUEUED:
        return NOTHING
    return Plan(
        events=(e.AdmissionClaimed(admission_id=waiting[0].admission_id, generation=session.generation + 1),)
    )


def settle(
    session: Session,
    admission: Admission,
    outcome: e.Outcome,
    result: TurnResult,
    context: Context,
    cause: str,
) -> Plan:
    """End an admission: close what it still asks, record its result, start the next.

    What its turn was told and did not read is not lost: it becomes the last input of the queue. Unless the turn was stopped: then
    nothing goes on by itself.
    """
    unread = NOTHING if outcome is e.Outcome.CANCELLED else _as_input(admission)
    for event in unread.events:
        session = apply(session, event, context.now)
    return (
        unread
        + close_prompts(session, admission, ApprovalStatus.CANCELLED, cause)
        + Plan(
            events=(
                e.AdmissionSettled(
                    admission_id=admission.admission_id,
                    generation=admission.generation,
                    outcome=outcome,
                    result=result,
                ),
            )
        )
        + claim(session, admission.admission_id, context)
    )


def _as_input(admission: Admission) -> Plan:
    """What a turn was told and did not read, as an input of its own."""
    if not admission.steering:
        return NOTHING
    admission_id = new_id()
    text = Part("text", "\n\n".join(admission.steering))
    accepted = e.AdmissionAccepted(
        admission_id=admission_id,
        principal=admission.principal,
        surface=Surface.RUNS.value,
        input=TurnInput(content=ChatMessage("user", (text,))),
    )
    named = e.RunNamed(run_id=new_run_id(Surface.RUNS), admission_id=admission_id, surface=Surface.RUNS.value)
    return Plan(events=(accepted, named))


def close_prompts(session: Session, admission: Admission, status: ApprovalStatus, cause: str) -> Plan:
    """End every open prompt of an admission without an answer."""
    plan = NOTHING
    for row in session.prompts_of(admission.admission_id):
        if row.status is ApprovalStatus.OPEN:
            plan += close_prompt(row, status, cause)
    return plan


def close_prompt(row: ApprovalRecord, status: ApprovalStatus, cause: str) -> Plan:
    """End one open prompt without an answer."""
    return Plan(
        events=(
            e.ApprovalClosed(
                admission_id=row.prompt.admission_id,
                request_id=row.prompt.request_id,
                status=status,
                cause=cause,
                kind=row.prompt.kind,
            ),
        ),
        server=(audit(row, choice=None, status=status, by="placet", reason=cause),),
    )


def audit(
    row: ApprovalRecord,
    *,
    choice: Choice | None,
    status: ApprovalStatus,
    by: str,
    origin: str = "",
    reason: str = "",
    rule_id: str | None = None,
) -> e.DecisionRecorded:
    """The audit chain's link for the end of a prompt."""
    return e.DecisionRecorded(
        request_id=row.prompt.request_id,
        admission_id=row.prompt.admission_id,
        session_id=row.session_id,
        generation=row.generation,
        tool=row.prompt.tool,
        command=row.prompt.command,
        digest=row.prompt.digest,
        choice=choice,
        status=status,
        by=by,
        origin=origin,
        reason=reason,
        rule_id=rule_id,
        path=row.prompt.path,
    )
