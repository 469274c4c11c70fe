"""Decisions about prompts: asking, answering, letting time pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import msgspec

from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.answers import Decided
from placet.actors.protocol.approvals import (
    CLARIFY,
    STATUS_OF_CHOICE,
    ApprovalStatus,
    Choice,
    Decision,
    Rule,
    RuleScope,
)
from placet.actors.protocol.errors import Conflict, InvalidInput
from placet.actors.protocol.ids import new_id
from placet.actors.session.core import (
    NOTHING,
    Context,
    Plan,
    audit,
    close_prompt,
    fenced,
    free,
    stale_generation,
)
from placet.actors.session.state import Session, apply
from placet.actors.store import RuleLive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.protocol.records import ApprovalRecord

EXTEND_MAX_S = 7 * 24 * 3600.0
"""How far from now a prompt's end may be put. A week: longer than any weekend; who needs more lets prompts wait for ever."""

_SCOPE_OF_CHOICE = {Choice.SESSION: RuleScope.SESSION, Choice.ALWAYS: RuleScope.ALWAYS}


class Waits(msgspec.Struct, frozen=True):
    """The answer to `OpenApproval` comes when this prompt ends."""

    request_id: str


def open_approval(session: Session, command: c.OpenApproval, context: Context, *, rule: Rule | None) -> Plan:
    """Ask a person, unless a live rule covers exactly this action, or this very step has been asked already.

    A turn that is replayed after a crash comes back to its prompt by the step. If the prompt is still open it waits on; if it has
    ended its outcome is used. Both only if the action is the same by its digest: otherwise it is asked anew.
    """
    prompt = command.prompt
    running = fenced(session, prompt.admission_id, command.generation)
    if running.stopping:
        return Plan(answer=Decision(choice=None, outcome=ApprovalStatus.CANCELLED, reason="stopped"))
    earlier = _of_step(session, prompt.admission_id, prompt.step)
    superseded = NOTHING
    if earlier is not None and earlier.prompt.digest == prompt.digest:
        waits = earlier.status is ApprovalStatus.OPEN
        return Plan(answer=Waits(earlier.prompt.request_id) if waits else decision_of(earlier))
    if earlier is not None and earlier.status is ApprovalStatus.OPEN:
        superseded = close_prompt(earlier, ApprovalStatus.CANCELLED, "action_changed")
    if rule is not None:
        return superseded + _granted(session, command, rule, context)
    asked = Plan(
        events=(e.ApprovalOpened(generation=command.generation, prompt=prompt),),
        answer=Waits(prompt.request_id),
    )
    return superseded + asked


def _of_step(session: Session, admission_id: str, step: str) -> ApprovalRecord | None:
    return next((row for row in reversed(session.prompts_of(admission_id)) if row.prompt.step == step), None)


def _granted(session: Session, command: c.OpenApproval, rule: Rule, context: Context) -> Plan:
    granted = e.ApprovalGranted(generation=command.generation, prompt=command.prompt, rule_id=rule.rule_id)
    row = apply(session, granted, context.now).prompts[command.prompt.request_id]
    link = audit(
        row,
        choice=None,
        status=ApprovalStatus.APPROVED,
        by=f"rule:{rule.rule_id}",
        reason=rule.text,
        rule_id=rule.rule_id,
    )
    return Plan(
        events=(granted,),
        server=(link,),
        requires=(RuleLive(rule_id=rule.rule_id),),
        answer=decision_of(row),
    )


def decide(session: Session, command: c.Decide, context: Context) -> Plan:
    """Answer a prompt of an admission that is not settled. First wins."""
    row = check_decision(session.prompts_of(command.admission_id), command, turn_lives=True)
    if row.status is not ApprovalStatus.OPEN:
        return Plan(answer=Decided(approval=row, fresh=False))
    rule = _remembered(session, row, command, context)
    decided = e.ApprovalDecided(
        admission_id=command.admission_id,
        request_id=row.prompt.request_id,
        choice=command.choice,
        status=STATUS_OF_CHOICE[command.choice],
        by=command.by,
        origin=command.origin,
        reason=command.reason,
        rule_id=None if rule is None else rule.rule_id,
    )
    link = audit(
        row,
        choice=command.choice,
        status=decided.status,
        by=command.by,
        origin=command.origin,
        reason=command.reason,
        rule_id=decided.rule_id,
    )
    after = apply(session, decided, context.now).prompts[row.prompt.request_id]
    return Plan(
        events=(decided,),
        server=(link,) if rule is None else (e.RuleAdded(rule), link),
        answer=Decided(approval=after, fresh=True),
    )


def _remembered(session: Session, row: ApprovalRecord, command: c.Decide, context: Context) -> Rule | None:
    scope = _SCOPE_OF_CHOICE.get(command.choice)
    if scope is None:
        return None
    return Rule(
        rule_id=new_id(),
        scope=scope,
        principal=row.principal,
        session_id=session.session_id,
        rule_key=row.prompt.rule_key,
        text=row.prompt.rules[command.choice.value],
        request_id=row.prompt.request_id,
        created_by=command.by,
        created_at=context.now,
    )


def check_decision(rows: Sequence[ApprovalRecord], command: c.Decide, *, turn_lives: bool) -> ApprovalRecord:
    """Find the prompt that a decision is about, and say why it may not be decided so. The order of the checks is the contract's.

    Args:
        rows: all prompts that the admission ever opened.
        command: the decision.
        turn_lives: whether the admission is not settled yet.

    Returns:
        The prompt: open, or already decided in the same way while the turn lives.

    Raises:
        Conflict: `ambiguous_approval`, `approval_not_pending`, `stale_generation`, `already_resolved` with the decision that
            won, `approval_expired`, `stale_action`.
        InvalidInput: `invalid_choice`.
    """
    row = _not_cancelled(_named([item for item in rows if item.prompt.kind != CLARIFY], command.request_id))
    if command.generation is not None and command.generation != row.generation:
        stale_generation("The prompt has another generation by now. Read it again before you decide.")
    if row.status is not ApprovalStatus.OPEN and not (turn_lives and row.choice == command.choice.value):
        _refuse_ended(row)
    if row.status is not ApprovalStatus.OPEN:
        return row
    if command.digest is not None and command.digest != row.prompt.digest:
        raise Conflict("The action is not the one that was shown. Read it again.", code="stale_action")
    if command.choice not in row.prompt.choices:
        offered = ", ".join(choice.value for choice in row.prompt.choices)
        raise InvalidInput(f"This prompt offers: {offered}.", code="invalid_choice", param="choice")
    return row


def _named(rows: Sequence[ApprovalRecord], request_id: str | None) -> ApprovalRecord | None:
    asked = [row for row in rows if not (row.decided_by or "").startswith("rule:")]
    if request_id is not None:
        return next((row for row in asked if row.prompt.request_id == request_id), None)
    if len(asked) > 1:
        raise Conflict(
            "This run has asked more than once. Say which prompt you mean with request_id.",
            code="ambiguous_approval",
            param="request_id",
        )
    return asked[0] if asked else None


def _not_cancelled(row: ApprovalRecord | None) -> ApprovalRecord:
    if row is None or row.status is ApprovalStatus.CANCELLED:
        raise Conflict("No such prompt of this run waits for an answer.", code="approval_not_pending")
    return row


def _refuse_ended(row: ApprovalRecord) -> NoReturn:
    if row.status is ApprovalStatus.EXPIRED:
        raise Conflict("The prompt expired unanswered. The action was not run.", code="approval_expired")
    raise Conflict(
        f"The prompt was already answered: {row.choice or row.answer}.",
        code="already_resolved",
        detail={
            "decision": {"choice": row.choice, "decided_by": row.decided_by, "decided_at": row.decided_at}
        },
    )


def clarify(session: Session, command: c.Clarify, context: Context) -> Plan:
    """Answer a question of an admission that is not settled. First wins. The audit says who, not what: an answer may be secret."""
    row = check_answer(session.prompts_of(command.admission_id), command, turn_lives=True)
    if row.status is not ApprovalStatus.OPEN:
        return Plan(answer=Decided(approval=row, fresh=False))
    answered = e.ApprovalClosed(
        admission_id=command.admission_id,
        request_id=command.request_id,
        status=ApprovalStatus.ANSWERED,
        cause="",
        kind=CLARIFY,
        answer=command.answer,
        by=command.by,
        origin=command.origin,
    )
    link = audit(row, choice=None, status=ApprovalStatus.ANSWERED, by=command.by, origin=command.origin)
    after = apply(session, answered, context.now).prompts[command.request_id]
    return Plan(events=(answered,), server=(link,), answer=Decided(approval=after, fresh=True))


def check_answer(rows: Sequence[ApprovalRecord], command: c.Clarify, *, turn_lives: bool) -> ApprovalRecord:
    """Find the question that an answer is about, and say why it may not be answered so.

    Args:
        rows: all prompts that the admission ever opened.
        command: the answer.
        turn_lives: whether the admission is not settled yet.

    Returns:
        The question: open, or already answered in the same words while the turn lives.

    Raises:
        Conflict: `approval_not_pending`, `stale_generation`, `approval_expired`, or `already_resolved`.
        InvalidInput: `invalid_answer`: it is none of the options.
    """
    questions = [row for row in rows if row.prompt.kind == CLARIFY]
    row = _not_cancelled(_named(questions, command.request_id))
    if command.generation is not None and command.generation != row.generation:
        stale_generation("The question has another generation by now. Read it again before you answer.")
    if row.status is not ApprovalStatus.OPEN:
        if not turn_lives or row.answer != command.answer:
            _refuse_ended(row)
        return row
    if row.prompt.options and command.answer not in row.prompt.options:
        offered = ", ".join(row.prompt.options)
        raise InvalidInput(f"The answer is one of: {offered}.", code="invalid_answer", param="answer")
    return row


def extend(session: Session, command: c.Extend, context: Context) -> Plan:
    """Put off the end of an open prompt. The answer is the prompt as it then stands."""
    row = check_extension(session.prompts_of(command.admission_id), command, context.now)
    assert row.prompt.expires_at is not None
    extended = e.ApprovalExtended(
        admission_id=command.admission_id,
        request_id=command.request_id,
        expires_at=row.prompt.expires_at + command.seconds,
        by=command.by,
        use=command.use,
    )
    after = apply(session, extended, context.now).prompts[command.request_id]
    return Plan(events=(extended,), requires=free(command.use), answer=after)


def check_extension(rows: Sequence[ApprovalRecord], command: c.Extend, now: float) -> ApprovalRecord:
    """Find the prompt that is to wait longer, and say why it may not.

    Args:
        rows: all prompts that the admission ever opened.
        command: what is asked.
        now: Unix seconds.

    Raises:
        Conflict: `approval_not_pending`, `approval_expired`, `already_resolved`, or `approval_never_expires`.
        InvalidInput: the end would be more than `EXTEND_MAX_S` from now.
    """
    row = _not_cancelled(_named(rows, command.request_id))
    expires_at = row.prompt.expires_at
    if row.status is not ApprovalStatus.OPEN:
        _refuse_ended(row)
    if expires_at is None:
        raise Conflict("The prompt waits for ever already.", code="approval_never_expires")
    if expires_at <= now:
        raise Conflict("The prompt's time is over.", code="approval_expired")
    if expires_at + command.seconds > now + EXTEND_MAX_S:
        raise InvalidInput(f"A prompt may end at most {EXTEND_MAX_S:g} s from now.", param="seconds")
    return row


def prompt_due(session: Session, command: c.PromptDue, context: Context) -> Plan:
    """A timer has gone off: expire the prompt if it is time, else warn of it once."""
    row = session.prompts.get(command.request_id)
    if row is None or row.status is not ApprovalStatus.OPEN or row.prompt.expires_at is None:
        return NOTHING
    if context.now >= row.prompt.expires_at:
        return close_prompt(row, ApprovalStatus.EXPIRED, "nobody answered in time")
    warn_at = row.prompt.expires_at - context.limits.approval_warning_s
    if row.warned or context.now < warn_at or warn_at <= row.prompt.created_at:
        return NOTHING
    warning = e.ApprovalExpiring(
        admission_id=row.prompt.admission_id,
        request_id=command.request_id,
        expires_at=row.prompt.expires_at,
    )
    return Plan(events=(warning,))


def decision_of(row: ApprovalRecord) -> Decision:
    """What the asking agent learns of a prompt that has ended."""
    return Decision(
        choice=row.choice,
        outcome=row.status,
        reason=row.reason or "",
        decided_by=row.decided_by or "",
        answer=row.answer,
    )
