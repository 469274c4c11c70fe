"""What is asked of sessions, admissions and their events. Each function is one short read on one connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.protocol.conversation import ChatMessage, TurnResult
from placet.actors.protocol.events import (
    MessageKept,
    Outcome,
    Recorded,
    SteeringTaken,
    StepEnded,
    TextAppended,
    ThoughtAppended,
    ToolEnded,
)
from placet.actors.protocol.records import (
    AdmissionRecord,
    JournalEntry,
    KeyRecord,
    SessionSnapshot,
)
from placet.actors.store import codec, rows
from placet.actors.store.queries_approvals import approvals_of

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


EVER = 2**62
"""A place in the ledger after every row."""


def session(conn: Connection, session_id: str) -> SessionSnapshot | None:
    """What an actor needs to take the session up."""
    found = conn.execute(rows.SESSION + "WHERE session_id = ?", (session_id,)).fetchone()
    if found is None:
        return None
    unsettled = conn.execute(
        rows.UNSETTLED + "WHERE target_session_id = ? AND status != 'terminal' ORDER BY seq", (session_id,)
    ).fetchall()
    admissions = tuple(rows.admission(conn, row) for row in unsettled)
    return SessionSnapshot(
        session=rows.session(found),
        admissions=admissions,
        approvals=tuple(record for item in admissions for record in approvals_of(conn, item.admission_id)),
    )


def unsettled(conn: Connection) -> list[str]:
    """Sessions with a row that is not terminal, those that wait longest first."""
    found = conn.execute(
        "SELECT target_session_id FROM session_admissions INDEXED BY admissions_unsettled WHERE status != 'terminal'"
        " GROUP BY target_session_id ORDER BY min(seq)"
    )
    return [session_id for (session_id,) in found]


def admission(conn: Connection, admission_id: str) -> AdmissionRecord | None:
    """One row of the ledger."""
    found = conn.execute(rows.ADMISSION + "WHERE admission_id = ?", (admission_id,)).fetchone()
    return None if found is None else rows.admission(conn, found)


def key(conn: Connection, principal: str, family: str, name: str, now: float) -> KeyRecord | None:
    """What a live key stands for, also one whose session was deleted."""
    values = (principal, family, name, now)
    found = conn.execute(
        "SELECT k.admission_id, a.target_session_id, k.fingerprint, NULL FROM idempotency_keys k"
        " JOIN session_admissions a USING (admission_id)"
        " WHERE k.principal = ?1 AND k.family = ?2 AND k.key = ?3 AND (k.expires_at IS NULL OR k.expires_at > ?4)"
        " UNION ALL SELECT admission_id, session_id, fingerprint, run_id FROM tombstones"
        " WHERE principal = ?1 AND family = ?2 AND key = ?3 AND expires_at > ?4",
        values,
    ).fetchone()
    if found is None:
        return None
    return KeyRecord(admission_id=found[0], session_id=found[1], fingerprint=found[2], run_id=found[3])


def receipt(conn: Connection, admission_id: str) -> tuple[Outcome, TurnResult] | None:
    """How an admission ended, also one whose session was deleted while its key is alive; `None` if it did not."""
    found = conn.execute(
        "SELECT outcome, result_json FROM session_admissions WHERE admission_id = ?1 AND status = 'terminal'"
        " UNION ALL SELECT outcome, result_json FROM tombstones WHERE admission_id = ?1",
        (admission_id,),
    ).fetchone()
    return None if found is None else (Outcome(found[0]), msgspec.json.decode(found[1], type=TurnResult))


def history(conn: Connection, session_id: str, before_seq: int) -> tuple[ChatMessage, ...]:
    """The settled turns before a ledger row. What was withdrawn before it ever started is no part of the conversation."""
    found = conn.execute(
        "SELECT m.message_json FROM session_admissions a JOIN messages m ON m.ledger_seq = a.seq"
        " WHERE a.target_session_id = ? AND a.seq < ? AND a.status = 'terminal' AND a.generation IS NOT NULL"
        " ORDER BY a.seq, m.position",
        (session_id, before_seq),
    ).fetchall()
    own = (codec.restore_message(conn, msgspec.json.decode(text, type=ChatMessage)) for (text,) in found)
    return (*inherited(conn, session_id), *own)


def inherited(conn: Connection, session_id: str) -> tuple[ChatMessage, ...]:
    """What had been said in the session that this one was forked from, by the time of the fork."""
    text = conn.execute("SELECT inherited_json FROM sessions WHERE session_id = ?", (session_id,)).get
    return () if text is None else msgspec.json.decode(text, type=tuple[ChatMessage, ...])


def events(
    conn: Connection,
    stream: str,
    after: int,
    up_to: int | None,
    admission_id: str | None,
    limit: int,
    size_bytes: int | None = None,
) -> list[Recorded]:
    """A stretch of one stream; with `size_bytes` it ends with the event that reaches that size."""
    sql = rows.EVENT + "WHERE stream = ?1 AND seq > ?2 AND (?3 IS NULL OR seq <= ?3)"
    values: tuple[Any, ...] = (stream, after, up_to, limit)
    if admission_id is not None:
        sql += " AND admission_id = ?5"
        values += (admission_id,)
    found = conn.execute(sql + " ORDER BY seq LIMIT ?4", values)
    if size_bytes is None:
        return rows.events(conn, found.fetchall())
    taken: list[Any] = []
    for row in found:
        taken.append(row)
        size_bytes -= len(row[-1])
        if size_bytes <= 0:
            break
    return rows.events(conn, taken)


def truncated(conn: Connection, stream: str, after: int) -> bool:
    """Whether deltas that follow `after` were merged with some that do not."""
    found = conn.execute(
        "SELECT 1 FROM merges WHERE stream = ? AND first_seq <= ? AND last_seq > ?", (stream, after, after)
    ).fetchone()
    return found is not None


def journal(conn: Connection, admission_id: str) -> tuple[JournalEntry, ...]:
    """The turn's steps in the order in which they began; each result is read from the event that ended its step."""
    found = conn.execute(
        "SELECT s.step, s.call_id, s.failed, s.started, e.body FROM steps s LEFT JOIN events e ON e.position = s.ended"
        " WHERE s.admission_id = ? ORDER BY s.started",
        (admission_id,),
    )
    return tuple(_entry(*row) for row in found)


def _entry(step: str, call_id: str | None, failed: int, started: int, body: str | None) -> JournalEntry:
    end = None if body is None else codec.decode_lean(body)
    result = end.result if isinstance(end, StepEnded | ToolEnded) else None
    if isinstance(end, SteeringTaken):
        result = list(end.texts)
    if isinstance(end, MessageKept):
        result = end.said
    return JournalEntry(
        step=step, call_id=call_id, ended=end is not None, result=result, failed=bool(failed), started=started
    )


def said_so_far(conn: Connection, admission_id: str) -> tuple[str, str]:
    """The text and the reasoning of the turn since its answer last began anew."""
    found = conn.execute(
        "SELECT body FROM events WHERE admission_id = ?1 AND kind IN ('TextAppended', 'ThoughtAppended')"
        " AND position > coalesce((SELECT max(position) FROM events WHERE admission_id = ?1"
        " AND kind = 'AnswerRestarted'), 0) ORDER BY position",
        (admission_id,),
    )
    decoded = [codec.decode_lean(body) for (body,) in found]
    text = "".join(event.text for event in decoded if isinstance(event, TextAppended))
    return text, "".join(event.text for event in decoded if isinstance(event, ThoughtAppended))
