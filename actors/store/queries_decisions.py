"""What is asked of decisions by those who look through them: the audit by page, and how often a rule has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.store.chain import Link, link_of

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

_TEXT = " || char(10) || ".join(
    f"coalesce(record ->> '$.decision.{name}', '')" for name in ("command", "by", "session_id", "reason")
)
"""Where words are looked for."""


class DecisionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which decisions a list is to show; `None` means any.

    Attributes:
        status: how they ended.
        words: what their command, reason, session or principal contains, in any case.
        newest: whether the newest come first.
    """

    status: ApprovalStatus | None = None
    words: str | None = None
    newest: bool = False


class Uses(msgspec.Struct, frozen=True):
    """How a rule was used.

    Attributes:
        times: how often it has answered in a person's place.
        last: when it did last, Unix seconds; `None` if never.
    """

    times: int = 0
    last: float | None = None


def decisions(conn: Connection, wanted: DecisionFilter, after: int, limit: int) -> list[Link]:
    """At most `limit` links beyond the position `after` in the wanted direction; from its beginning if that is 0."""
    conditions, values = ["true"], list[object]()
    if after:
        conditions.append("position < ?" if wanted.newest else "position > ?")
        values.append(after)
    if wanted.status is not None:
        conditions.append("record ->> '$.decision.status' = ?")
        values.append(wanted.status.value)
    if wanted.words is not None:
        conditions.append(f"instr(lower({_TEXT}), lower(?)) > 0")
        values.append(wanted.words)
    order = "DESC" if wanted.newest else "ASC"
    found = conn.execute(
        f"SELECT record, prev_hash, hash FROM decisions WHERE {' AND '.join(conditions)} ORDER BY number {order} LIMIT ?",
        (*values, limit),
    )
    return [link_of(*row) for row in found]


def rule_uses(conn: Connection, rule_ids: tuple[str, ...]) -> dict[str, Uses]:
    """By rule, how it was used. Decisions are never deleted, so this is the whole of it."""
    found = conn.execute(
        "SELECT record ->> '$.decision.by', count(*), max(record ->> '$.at') FROM decisions"
        f" WHERE record ->> '$.decision.by' IN ({', '.join('?' * len(rule_ids))}) GROUP BY 1",
        tuple(f"rule:{rule_id}" for rule_id in rule_ids),
    )
    used = {by.removeprefix("rule:"): Uses(times, last) for by, times, last in found}
    return {rule_id: used.get(rule_id, Uses()) for rule_id in rule_ids}
