"""What is thrown away and when. Each function is one small write; `Store.tidy` repeats them, so that others write in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.protocol.errors import Conflict
from placet.actors.protocol.events import SERVER_STREAM, Event, RuleRevoked, TextAppended, ThoughtAppended
from placet.actors.store import graves, key_uses
from placet.actors.store.append import Writing, append, prepare
from placet.actors.store.batch import Batch, StreamAppend
from placet.actors.store.codec import decode_lean

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

CHUNK = 32
"""Sessions, admissions or blobs in one write: a few milliseconds, so that a turn's own write hardly waits."""

KEYS_CHUNK = 512
"""Keys in one write; a key is one small row."""

_MERGED_KINDS = "('TextAppended', 'ThoughtAppended', 'AnswerRestarted', 'ToolProgressed')"


class TidyReport(msgspec.Struct, frozen=True):
    """What one tidying removed.

    Attributes:
        keys: expired `Idempotency-Key` rows.
        sessions: ephemeral sessions with all that was theirs.
        merged: admissions whose deltas became one message.
        blobs: images that nothing named any more.
    """

    keys: int = 0
    sessions: int = 0
    merged: int = 0
    blobs: int = 0


def drop_keys(conn: Connection, now: float) -> int:
    """Delete keys whose time is over, and what answered them after their session was deleted. Other admissions stay."""
    conn.execute("DELETE FROM tombstones WHERE expires_at <= ?", (now,))
    buried = conn.changes() + key_uses.drop(conn, now, KEYS_CHUNK // 2)
    conn.execute(
        "DELETE FROM idempotency_keys WHERE (principal, family, key) IN (SELECT principal, family, key"
        " FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
        (now, max(KEYS_CHUNK - buried, 1)),
    )
    return buried + conn.changes()


def drop_sessions(conn: Connection, writing: Writing, now: float, before: float) -> int:
    """Delete ephemeral sessions that were last active before `before` (Unix seconds) and have nothing unsettled."""
    found = conn.execute(
        "SELECT session_id FROM sessions s WHERE ephemeral = 1 AND last_active < ? AND NOT EXISTS (SELECT 1 FROM"
        " session_admissions WHERE target_session_id = s.session_id AND (status != 'terminal' OR updated_at >= ?))"
        " ORDER BY last_active LIMIT ?",
        (before, before, CHUNK),
    ).fetchall()
    for (session_id,) in found:
        delete_session(conn, writing, now, session_id)
    return len(found)


def delete_session(conn: Connection, writing: Writing, now: float, session_id: str) -> bool:
    """Delete a session and all that was its own; its decisions stay, its session rules are revoked.

    What answers a key that is still alive is kept as a tombstone, so that an exact retry is not new work; and how far its numbers
    had gone, so that a session made again under its id does not use them again.

    Returns:
        Whether there was one.

    Raises:
        Conflict: `session_active_turn`, as something of it is not settled.
    """
    busy = conn.execute(
        "SELECT 1 FROM session_admissions INDEXED BY admissions_unsettled"
        " WHERE target_session_id = ? AND status != 'terminal'",
        (session_id,),
    ).fetchone()
    if busy:
        raise Conflict("The session has inputs that are not settled.", code="session_active_turn")
    _revoke_rules(conn, writing, now, session_id)
    _keep_answers(conn, now, session_id)
    graves.bury(conn, session_id)
    conn.execute("DELETE FROM events WHERE stream = ?", (session_id,))
    conn.execute("DELETE FROM merges WHERE stream = ?", (session_id,))
    # Messages, prompts, steps, run ids, keys and uses of blobs go with their admission.
    conn.execute("DELETE FROM session_admissions WHERE target_session_id = ?", (session_id,))
    conn.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))
    return conn.changes() == 1


def _keep_answers(conn: Connection, now: float, session_id: str) -> None:
    conn.execute(
        "INSERT OR REPLACE INTO tombstones SELECT admission_id, k.principal, k.family, k.key, k.fingerprint,"
        " a.target_session_id, (SELECT run_id FROM run_aliases r WHERE r.admission_id = a.admission_id ORDER BY position),"
        " a.outcome, a.result_json, k.expires_at FROM session_admissions a JOIN idempotency_keys k USING (admission_id)"
        " WHERE a.target_session_id = ? AND k.expires_at > ?",
        (session_id, now),
    )


def _revoke_rules(conn: Connection, writing: Writing, now: float, session_id: str) -> None:
    found = conn.execute(
        "SELECT rule_id FROM rules WHERE session_id = ? AND scope = 'session' AND revoked_at IS NULL",
        (session_id,),
    ).fetchall()
    events: tuple[Event, ...] = tuple(RuleRevoked(rule_id=rule_id, by="placet") for (rule_id,) in found)
    batch = Batch((StreamAppend(SERVER_STREAM, events, None),), now)
    append(conn, prepare(batch, writing.limits), writing)


def merge_deltas(conn: Connection, before: float) -> int:
    """Merge the deltas of admissions that ended before `before` (Unix seconds)."""
    found = conn.execute(
        "SELECT admission_id, target_session_id FROM session_admissions"
        " WHERE status = 'terminal' AND merged = 0 AND updated_at < ? ORDER BY updated_at LIMIT ?",
        (before, CHUNK),
    ).fetchall()
    for admission_id, session_id in found:
        _merge(conn, session_id, admission_id)
        conn.execute("UPDATE session_admissions SET merged = 1 WHERE admission_id = ?", (admission_id,))
    return len(found)


def _merge(conn: Connection, session_id: str, admission_id: str) -> None:
    """Leave one text and one thought, each of the last attempt and in the place of its last delta."""
    deltas: list[tuple[int, int, str, str]] = conn.execute(
        f"SELECT position, seq, kind, body FROM events WHERE admission_id = ? AND kind IN {_MERGED_KINDS} ORDER BY position",
        (admission_id,),
    ).fetchall()
    if len(deltas) < 2:
        return
    last_attempt = _after_restart(deltas)
    kept = {
        position: body
        for kind in ("TextAppended", "ThoughtAppended")
        for position, body in _joined([row for row in last_attempt if row[2] == kind])
    }
    for position, _, _, _ in deltas:
        if position in kept:
            conn.execute("UPDATE events SET body = ? WHERE position = ?", (kept[position], position))
        else:
            conn.execute("DELETE FROM events WHERE position = ?", (position,))
    conn.execute("INSERT INTO merges VALUES (?, ?, ?)", (session_id, deltas[0][1], deltas[-1][1]))


def _after_restart(deltas: list[tuple[int, int, str, str]]) -> list[tuple[int, int, str, str]]:
    restarts = [index for index, row in enumerate(deltas) if row[2] == "AnswerRestarted"]
    return deltas[restarts[-1] + 1 :] if restarts else deltas


def _joined(rows: list[tuple[int, int, str, str]]) -> list[tuple[int, str]]:
    if not rows:
        return []
    events: list[Any] = [decode_lean(row[3]) for row in rows]
    last: TextAppended | ThoughtAppended = events[-1]
    whole: Event = msgspec.structs.replace(last, text="".join(event.text for event in events))
    return [(rows[-1][0], msgspec.json.encode(whole).decode())]


def drop_blobs(conn: Connection) -> int:
    """Delete images that no admission names."""
    conn.execute(
        "DELETE FROM blobs WHERE sha256 IN (SELECT sha256 FROM blobs WHERE NOT EXISTS"
        " (SELECT 1 FROM blob_uses WHERE blob_uses.sha256 = blobs.sha256) LIMIT ?)",
        (CHUNK,),
    )
    return conn.changes()
