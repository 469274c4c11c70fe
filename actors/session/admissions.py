"""Decisions about admissions: taking them in, running them one by one, ending them."""

from __future__ import annotations

from msgspec.structs import replace

from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.conversation import TurnResult
from placet.actors.protocol.errors import Conflict, NotFound, TooMany
from placet.actors.protocol.ids import new_id
from placet.actors.protocol.records import AdmissionStatus
from placet.actors.session.core import (
    NOTHING,
    Context,
    Plan,
    claim,
    close_prompt,
    close_prompts,
    fenced,
    free,
    settle,
    stale_generation,
)
from placet.actors.session.state import Admission, Session, apply
from placet.actors.store import KeyFree

STEERING_MAX = 32
"""Texts that may wait for one turn to read them: as many as inputs may wait for a session."""

STOPPED = TurnResult(error_code="run_cancelled", error="The run was stopped.")
OWNER_LOST = TurnResult(
    error_code="owner_lost",
    error="The server went down while this ran. What it had done by then is not known; it was not run again.",
)


def open_session(session: Session, command: c.OpenSession, _context: Context) -> Plan:
    """Make a session that does not exist."""
    if session.principal is not None:
        raise Conflict("There is a session of that id.", code="session_exists")
    return Plan(events=(command.opened,), requires=free(command.opened.use))


def change_session(session: Session, command: c.ChangeSession, _context: Context) -> Plan:
    """Change what people keep about the session."""
    check_exists(session)
    return Plan(events=(command.changed,))


def check_deletion(session: Session) -> None:
    """Say why the session may not be deleted.

    Raises:
        NotFound: `session_not_found`.
        Conflict: `session_active_turn`: something of it runs, waits or is of unknown outcome.
    """
    check_exists(session)
    if session.queue:
        raise Conflict(
            "The session has inputs that run or wait. Stop or settle them first.", code="session_active_turn"
        )


def check_exists(session: Session) -> None:
    """Refuse what is asked of a session that does not exist.

    Raises:
        NotFound: `session_not_found`.
    """
    if session.principal is None:
        raise NotFound("There is no session of that id.", code="session_not_found")


def admit(session: Session, command: c.Admit, context: Context) -> Plan:
    """Take an input into the queue, and start it at once if nothing is before it. The answer is the admission's id."""
    opening = _opening(session, command)
    interrupting = _make_way(session, command, context)
    admission_id = new_id()
    accepted = Plan(
        events=(
            e.AdmissionAccepted(
                admission_id=admission_id,
                principal=command.principal,
                surface=command.surface,
                input=command.input,
                key=command.key,
                fingerprint=command.fingerprint,
            ),
            e.RunNamed(run_id=command.run_id, admission_id=admission_id, surface=command.surface),
            *_filed(command, admission_id),
        ),
        requires=()
        if command.key is None
        else (KeyFree(principal=command.principal, family=command.surface, key=command.key),),
    )
    if session.head is None and context.may_start:
        accepted += Plan(
            events=(e.AdmissionClaimed(admission_id=admission_id, generation=session.generation + 1),)
        )
    return Plan(answer=admission_id) + opening + interrupting + accepted


def _filed(command: c.Admit, admission_id: str) -> tuple[e.ResponseFiled, ...]:
    if command.filing is None:
        return ()
    return (e.ResponseFiled(run_id=command.run_id, admission_id=admission_id, filing=command.filing),)


def forget_response(_session: Session, command: c.ForgetResponse, _context: Context) -> Plan:
    """Let a response not be read any more."""
    return Plan(events=(e.ResponseForgotten(run_id=command.run_id, admission_id=command.admission_id),))


def _opening(session: Session, command: c.Admit) -> Plan:
    if session.principal is None:
        if command.opens is None:
            raise NotFound("There is no session of that id.", code="session_not_found")
        return Plan(events=(command.opens,))
    if session.principal != command.principal:
        raise NotFound("There is no session of that id.", code="session_not_found")
    return NOTHING


def _make_way(session: Session, command: c.Admit, context: Context) -> Plan:
    """What happens to the work that is before a new input."""
    if session.queue and command.on_busy is c.OnBusy.REJECT:
        raise Conflict("The session is at work, and the request asked not to wait.", code="session_busy")
    waiting = sum(item.status is AdmissionStatus.QUEUED for item in session.queue)
    if waiting >= context.limits.queued_per_session:
        raise TooMany(
            f"{waiting} inputs wait in this session already. Try again when some have run.",
            code="queue_full",
            retry_after_s=1.0,
        )
    running = session.running
    if running is not None and command.on_busy is c.OnBusy.INTERRUPT:
        return _stop_running(session, running, command.principal)
    return NOTHING


def proceed(session: Session, _command: c.Proceed, context: Context) -> Plan:
    """Start the next turn, if none runs and there is a slot."""
    return claim(session, None, context)


def record(session: Session, command: c.Record, _context: Context) -> Plan:
    """Take down what the running turn did."""
    fenced(session, command.admission_id, command.generation)
    return Plan(events=command.outputs)


def end_turn(session: Session, command: c.EndTurn, context: Context) -> Plan:
    """Take down what the turn did last, settle its admission and start the next."""
    fenced(session, command.admission_id, command.generation)
    last = Plan(events=command.outputs)
    session = _after(session, last, context)
    admission = fenced(session, command.admission_id, command.generation)
    outcome, result = command.outcome, command.result
    if admission.stopping and outcome is not e.Outcome.CANCELLED:
        # The agent was done in the very moment of the stop. Whoever stopped it was told so, and that stays true.
        outcome = e.Outcome.CANCELLED
        result = replace(STOPPED, text=result.text, kept=result.kept, usage=result.usage)
    return last + settle(session, admission, outcome, result, context, "turn_ended")


def steer(session: Session, command: c.Steer, _context: Context) -> Plan:
    """Tell the running turn something, if it does nothing but run."""
    running = session.running
    if running is None or running.admission_id != command.admission_id or running.generation is None:
        raise Conflict("The run does not run.", code="run_not_accepting_steer")
    if running.stopping or session.open_prompts:
        raise Conflict("The run is being stopped, or waits for a person.", code="run_not_accepting_steer")
    if len(running.steering) >= STEERING_MAX:
        raise Conflict("The run has not read what it was told before.", code="steer_not_accepted")
    return Plan(
        events=(
            e.SteeringReceived(
                admission_id=running.admission_id,
                generation=running.generation,
                text=command.text,
                by=command.by,
                use=command.use,
            ),
        ),
        requires=free(command.use),
    )


def stop(session: Session, command: c.Stop, context: Context) -> Plan:
    """Cancel a queued admission or ask a running turn to stop. Nothing happens to one that has ended or is stopping already."""
    admission = session.admission(command.admission_id)
    if admission is None:
        return NOTHING
    if command.queued_only and admission.status is not AdmissionStatus.QUEUED:
        raise Conflict("That input waits no longer: its turn has started.", code="already_started")
    if admission.status is AdmissionStatus.UNKNOWN:
        raise Conflict(
            "What this run had done when the server went down is not known. Settle it with resolve-unknown.",
            code="unknown_execution",
        )
    if admission.status is AdmissionStatus.QUEUED:
        return settle(session, admission, e.Outcome.CANCELLED, STOPPED, context, "stopped")
    return _stop_running(session, admission, command.by)


def _stop_running(session: Session, admission: Admission, by: str) -> Plan:
    if admission.stopping or admission.generation is None:
        return NOTHING
    return close_prompts(session, admission, ApprovalStatus.CANCELLED, "stopped") + Plan(
        events=(e.StopRequested(admission_id=admission.admission_id, generation=admission.generation, by=by),)
    )


def resolve_unknown(session: Session, command: c.ResolveUnknown, context: Context) -> Plan:
    """Settle an unknown admission as interrupted, under exactly its generation."""
    admission = session.admission(command.admission_id)
    if (
        admission is None
        or admission.status is not AdmissionStatus.UNKNOWN
        or admission.generation != command.generation
    ):
        stale_generation("There is no run of unknown outcome under that id and generation.")
    return settle(session, admission, e.Outcome.INTERRUPTED, OWNER_LOST, context, "owner_lost")


def recover(session: Session, recovery: c.Recovery, context: Context) -> Plan:
    """Take up a session whose process, or whose actor, is gone. A turn that ran then does not run now.

    Prompts that expired meanwhile are recorded as expired. A replayable turn goes on under a new generation. Another one is
    unknown and its prompts are cancelled; nothing is ever run again by itself.
    """
    running = session.running
    if running is None:
        return NOTHING
    expired = NOTHING
    for row in session.open_prompts:
        if row.prompt.expires_at is not None and row.prompt.expires_at <= context.now:
            expired += close_prompt(row, ApprovalStatus.EXPIRED, "expired while the server was down")
    kept = _after(session, expired, context)
    if running.stopping:
        return expired + settle(kept, running, e.Outcome.CANCELLED, STOPPED, context, "stopped")
    if recovery.replayable:
        return expired + Plan(
            events=(e.AdmissionResumed(admission_id=running.admission_id, generation=session.generation + 1),)
        )
    if recovery.interrupt:
        return expired + settle(kept, running, e.Outcome.INTERRUPTED, OWNER_LOST, context, "owner_lost")
    assert running.generation is not None
    lost = e.AdmissionLost(admission_id=running.admission_id, generation=running.generation)
    return (
        expired + close_prompts(kept, running, ApprovalStatus.CANCELLED, "owner_lost") + Plan(events=(lost,))
    )


def _after(session: Session, plan: Plan, context: Context) -> Session:
    for event in plan.events:
        session = apply(session, event, context.now)
    return session
