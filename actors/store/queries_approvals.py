"""What is asked of prompts, rules and the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.store import rows
from placet.actors.store.page import Page, page

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import ApprovalStatus, Rule
    from placet.actors.protocol.records import ApprovalRecord
    from placet.actors.store.sql import Connection


def approval(conn: Connection, request_id: str) -> ApprovalRecord | None:
    """One prompt."""
    found = conn.execute(rows.APPROVAL + "WHERE request_id = ?", (request_id,)).fetchone()
    return None if found is None else rows.approval(found)


def approvals_of(conn: Connection, admission_id: str) -> tuple[ApprovalRecord, ...]:
    """All that an admission ever asked, oldest first."""
    found = conn.execute(rows.APPROVAL + "WHERE admission_id = ? ORDER BY position", (admission_id,))
    return tuple(rows.approval(row) for row in found)


def approvals_since(conn: Connection, session_id: str, after: int) -> tuple[ApprovalRecord, ...]:
    """All that a session asked after the event `after` of its stream, oldest first."""
    found = conn.execute(
        rows.APPROVAL + "WHERE session_id = ?1 AND position > coalesce("
        " (SELECT max(position) FROM events WHERE stream = ?1 AND seq <= ?2), 0) ORDER BY position",
        (session_id, after),
    )
    return tuple(rows.approval(row) for row in found)


def approvals(
    conn: Connection, status: ApprovalStatus | None, principal: str | None, after: str | None, limit: int
) -> Page[ApprovalRecord]:
    """The inbox, oldest first."""
    conditions, values = ["true"], list[object]()
    if status is not None:
        conditions.append("status = ?")
        values.append(status.value)
    if principal is not None:
        conditions.append("principal_id = ?")
        values.append(principal)
    if after is not None:
        conditions.append("position > (SELECT position FROM approvals WHERE request_id = ?)")
        values.append(after)
    sql = f"{rows.APPROVAL} WHERE {' AND '.join(conditions)} ORDER BY position LIMIT ?"
    found = conn.execute(sql, (*values, limit + 1))
    return page([rows.approval(row) for row in found], limit)


def rule(conn: Connection, principal: str, session_id: str, rule_key: str) -> Rule | None:
    """The live rule that covers an action of this principal in this session, the oldest if there are several."""
    found = conn.execute(
        rows.RULE + "WHERE principal_id = ? AND rule_key = ? AND revoked_at IS NULL"
        " AND (scope = 'always' OR session_id = ?) ORDER BY position LIMIT 1",
        (principal, rule_key, session_id),
    ).fetchone()
    return None if found is None else rows.rule(found)


def rules(conn: Connection, principal: str | None, after: str | None, limit: int) -> Page[Rule]:
    """Live rules, oldest first."""
    found = conn.execute(
        rows.RULE + "WHERE (?1 IS NULL OR principal_id = ?1) AND revoked_at IS NULL"
        " AND position > coalesce((SELECT position FROM rules WHERE rule_id = ?2), 0) ORDER BY position LIMIT ?3",
        (principal, after, limit + 1),
    )
    return page([rows.rule(row) for row in found], limit)


def rule_by_id(conn: Connection, rule_id: str) -> Rule | None:
    """One live rule."""
    found = conn.execute(rows.RULE + "WHERE rule_id = ? AND revoked_at IS NULL", (rule_id,)).fetchone()
    return None if found is None else rows.rule(found)
