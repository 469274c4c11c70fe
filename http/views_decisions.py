"""How rules and the links of the audit chain look on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Rule
    from placet.actors.store import Link, Uses


def rule(kept: Rule, uses: Uses) -> dict[str, Any]:
    """A remembered approval and how often it was used. What it is found by stays inside."""
    return {
        "object": "approval.rule",
        "id": kept.rule_id,
        "scope": kept.scope.value,
        "principal": kept.principal,
        "session_id": kept.session_id,
        "text": kept.text,
        "request_id": kept.request_id,
        "created_by": kept.created_by,
        "created_at": kept.created_at,
        "uses": uses.times,
        "last_used_at": uses.last,
    }


def link(kept: Link) -> dict[str, Any]:
    """One decision in its place in the audit chain."""
    decision = kept.decision
    return {
        "object": "audit.decision",
        "number": kept.number,
        "position": kept.position,
        "at": kept.at,
        "request_id": decision.request_id,
        "admission_id": decision.admission_id,
        "session_id": decision.session_id,
        "execution_generation": decision.generation,
        "tool": decision.tool,
        "command": decision.command,
        "path": decision.path,
        "digest": decision.digest,
        "choice": None if decision.choice is None else decision.choice.value,
        "status": decision.status.value,
        "by": decision.by,
        "origin": decision.origin,
        "reason": decision.reason,
        "rule_id": decision.rule_id,
        "prev_hash": kept.prev_hash,
        "hash": kept.hash,
    }
