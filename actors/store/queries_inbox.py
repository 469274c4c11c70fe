"""What is asked over all sessions: what happens to prompts, and for readers outside also which runs end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.events import Recorded
from placet.actors.protocol.records import ApprovalRecord
from placet.actors.store import rows
from placet.actors.store.queries_approvals import approvals_of
from placet.actors.store.queries_runs import first_runs

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

IN_INBOX: frozenset[type[e.Event]] = frozenset(
    {
        e.AdmissionResumed,
        e.ApprovalOpened,
        e.ApprovalExpiring,
        e.ApprovalExtended,
        e.ApprovalDecided,
        e.ApprovalClosed,
    }
)
"""What the inbox tells of; the schema has an index over exactly these kinds.

A resumed turn is among it because its open prompts have another generation from then on.
"""

IN_NEWS: frozenset[type[e.Event]] = IN_INBOX | {e.AdmissionSettled}
"""What readers outside are told of; it too has an index over exactly these kinds."""


def one_of(kinds: frozenset[type[e.Event]]) -> str:
    """The condition of their index, word for word: only so SQLite sees that it fits."""
    return " OR ".join(f"kind = '{kind}'" for kind in sorted(kind.__name__ for kind in kinds))


_INBOX, _NEWS = one_of(IN_INBOX), one_of(IN_NEWS)


class InboxEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to prompts, or the end of a run.

    Attributes:
        recorded: the event in its place.
        principal: who submitted the turn that asks.
        run_id: the first public id of that turn's run.
        prompts: the prompts that it is about, as they stand by now; of a resumed turn those that are open.
    """

    recorded: Recorded
    principal: str
    run_id: str
    prompts: tuple[ApprovalRecord, ...]


class InboxSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The inbox in one cut.

    Attributes:
        position: the newest event of the whole log.
        open: the open prompts, oldest first, each with its run's first public id.
    """

    position: int
    open: tuple[tuple[ApprovalRecord, str], ...]


def inbox(conn: Connection, after: int, limit: int) -> list[InboxEvent]:
    """What happened to prompts after a position of the log, of all principals."""
    return _happened(conn, _INBOX, after, limit)


def news(conn: Connection, after: int, limit: int) -> list[InboxEvent]:
    """The same with the ends of runs."""
    return _happened(conn, _NEWS, after, limit)


def count_news(conn: Connection, after: int) -> int:
    """How many events `news` would still give."""
    return int(conn.execute(f"SELECT count(*) FROM events WHERE ({_NEWS}) AND position > ?", (after,)).get)


def _happened(conn: Connection, kinds: str, after: int, limit: int) -> list[InboxEvent]:
    found = conn.execute(
        "SELECT e.stream, e.seq, e.position, e.at, e.body, a.principal_id, a.admission_id FROM events e"
        f" JOIN session_admissions a USING (admission_id) WHERE ({kinds}) AND e.position > ?"
        " ORDER BY e.position LIMIT ?",
        (after, limit),
    ).fetchall()
    runs = first_runs(conn, tuple({row[6] for row in found}))
    recorded = rows.events(conn, [row[:5] for row in found])
    return [
        InboxEvent(
            recorded=item, principal=row[5], run_id=runs[row[6]], prompts=_prompts(conn, item.event, row[6])
        )
        for item, row in zip(recorded, found, strict=True)
    ]


def _prompts(conn: Connection, event: e.Event, admission_id: str) -> tuple[ApprovalRecord, ...]:
    wanted: str | None = getattr(event, "request_id", None)
    if isinstance(event, e.ApprovalOpened):
        wanted = event.prompt.request_id
    return tuple(
        row
        for row in approvals_of(conn, admission_id)
        if row.prompt.request_id == wanted or (wanted is None and row.status is ApprovalStatus.OPEN)
    )


def inbox_snapshot(conn: Connection, principal: str | None) -> InboxSnapshot:
    """The open prompts of one principal or of all (`None`), and the position from which the inbox goes on."""
    position = conn.execute("SELECT max(position) FROM events").get or 0
    found = conn.execute(
        rows.APPROVAL + "WHERE status = 'open' AND (?1 IS NULL OR principal_id = ?1) ORDER BY position",
        (principal,),
    ).fetchall()
    prompts = [rows.approval(row) for row in found]
    runs = first_runs(conn, tuple({row.prompt.admission_id for row in prompts}))
    return InboxSnapshot(
        position=position, open=tuple((row, runs[row.prompt.admission_id]) for row in prompts)
    )
