"""Prompts, rules and the audit chain: what their events do to the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.approvals import ApprovalStatus, Prompt
from placet.actors.store import chain, key_uses
from placet.actors.store.codec import to_json

if TYPE_CHECKING:
    from placet.actors.protocol.events import (
        ApprovalClosed,
        ApprovalDecided,
        ApprovalExpiring,
        ApprovalExtended,
        ApprovalGranted,
        ApprovalOpened,
        DecisionRecorded,
        RuleAdded,
        RuleRevoked,
    )
    from placet.actors.store.place import Place


def opened(place: Place, event: ApprovalOpened) -> None:
    """An open prompt of the turn that runs under the event's generation."""
    _add(place, event.prompt, event.generation, ApprovalStatus.OPEN)


def granted(place: Place, event: ApprovalGranted) -> None:
    """A prompt that nobody saw, approved by its rule."""
    _add(place, event.prompt, event.generation, ApprovalStatus.APPROVED)
    place.change(
        "UPDATE approvals SET decided_by = ?, decided_at = ?, rule_id = ? WHERE request_id = ?",
        f"rule:{event.rule_id}",
        place.at,
        event.rule_id,
        event.prompt.request_id,
    )


def _add(place: Place, prompt: Prompt, generation: int, status: ApprovalStatus) -> None:
    # The SELECT is the fence: no row of a turn that runs under this generation, no prompt.
    place.change(
        "INSERT INTO approvals (request_id, position, admission_id, session_id, principal_id, generation, status, prompt_json)"
        " SELECT ?, ?, admission_id, target_session_id, principal_id, generation, ?, ? FROM session_admissions"
        " WHERE admission_id = ? AND target_session_id = ? AND status = 'started' AND generation = ?",
        prompt.request_id,
        place.position,
        status.value,
        to_json(prompt),
        prompt.admission_id,
        place.stream,
        generation,
    )


def expiring(place: Place, event: ApprovalExpiring) -> None:
    """A mark on the open prompt."""
    place.change(
        "UPDATE approvals SET warned = 1 WHERE request_id = ? AND admission_id = ? AND session_id = ? AND status = 'open'",
        event.request_id,
        event.admission_id,
        place.stream,
    )


def extended(place: Place, event: ApprovalExtended) -> None:
    """A later end for an open prompt, of which it will be warned anew."""
    place.change(
        "UPDATE approvals SET prompt_json = json_set(prompt_json, '$.expires_at', ?), warned = 0"
        " WHERE request_id = ? AND admission_id = ? AND session_id = ? AND status = 'open'",
        event.expires_at,
        event.request_id,
        event.admission_id,
        place.stream,
    )
    key_uses.record(place, event.use)


def decided(place: Place, event: ApprovalDecided) -> None:
    """The one answer that an open prompt takes."""
    place.change(
        "UPDATE approvals SET status = ?, choice = ?, decided_by = ?, decided_at = ?, reason = ?, rule_id = ?"
        " WHERE request_id = ? AND admission_id = ? AND session_id = ? AND status = 'open'",
        event.status.value,
        event.choice.value,
        event.by,
        place.at,
        event.reason,
        event.rule_id,
        event.request_id,
        event.admission_id,
        place.stream,
    )


def closed(place: Place, event: ApprovalClosed) -> None:
    """The end of an open prompt that nobody decided, its cause kept as the reason; or the answer to a question."""
    place.change(
        "UPDATE approvals SET status = ?, decided_at = ?, reason = ?, answer = ?, decided_by = ?"
        " WHERE request_id = ? AND admission_id = ? AND session_id = ? AND status = 'open'",
        event.status.value,
        place.at,
        event.cause,
        event.answer,
        None if event.answer is None else event.by,
        event.request_id,
        event.admission_id,
        place.stream,
    )


def rule_added(place: Place, event: RuleAdded) -> None:
    """A live rule."""
    rule = event.rule
    place.change(
        "INSERT INTO rules (rule_id, position, scope, principal_id, session_id, rule_key, rule_json) VALUES (?, ?, ?, ?, ?, ?, ?)",
        rule.rule_id,
        place.position,
        rule.scope.value,
        rule.principal,
        rule.session_id,
        rule.rule_key,
        to_json(rule),
    )


def rule_revoked(place: Place, event: RuleRevoked) -> None:
    """The end of a live rule."""
    place.change(
        "UPDATE rules SET revoked_at = ?, revoked_by = ? WHERE rule_id = ? AND revoked_at IS NULL",
        place.at,
        event.by,
        event.rule_id,
    )


def decision_recorded(place: Place, event: DecisionRecorded) -> None:
    """The next link of the audit chain."""
    chain.add_link(place.conn, position=place.position, at=place.at, decision=event)
