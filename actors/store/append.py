"""The one thing that writes: a batch of events, checked, numbered, recorded and projected inside a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from placet.actors.protocol.events import EVENT_VERSION, SERVER_STREAM, Recorded
from placet.actors.protocol.limits import Limits
from placet.actors.store import graves, key_uses
from placet.actors.store.batch import (
    Batch,
    CorruptTransition,
    KeyFree,
    Precondition,
    PreconditionFailed,
    RuleLive,
    SessionAbsent,
    StreamAppend,
    UseFree,
)
from placet.actors.store.codec import Encoded, admission_of, encode
from placet.actors.store.place import Place
from placet.actors.store.projections import project

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


class Prepared(msgspec.Struct, frozen=True):
    """A batch with its events encoded, which is done before the writer has it: what cannot be written fails its caller alone."""

    batch: Batch
    parts: tuple[tuple[StreamAppend, tuple[Encoded, ...]], ...]


class Writing(msgspec.Struct, frozen=True):
    """By whom and under which settings is written."""

    epoch: int
    limits: Limits


def prepare(batch: Batch, limits: Limits) -> Prepared:
    """Encode a batch.

    Raises:
        TooLarge: one of its events is.
        InvalidInput: one of them has no JSON form.
    """
    return Prepared(
        batch,
        tuple((part, tuple(encode(event, limits) for event in part.events)) for part in batch.appends),
    )


def append(conn: Connection, prepared: Prepared, writing: Writing) -> tuple[Recorded, ...]:
    """Record a batch. Must be called inside a write transaction, which the caller rolls back if this raises.

    Raises:
        PreconditionFailed: what the batch requires is not so.
        CorruptTransition: an event does not fit what is stored.
    """
    batch = prepared.batch
    try:
        for need in batch.requires:
            _check(conn, need, batch.at)
        recorded: list[Recorded] = []
        for part, encoded in prepared.parts:
            recorded += _append_to_stream(conn, part, encoded, batch.at, writing)
    except apsw.ConstraintError as error:
        raise CorruptTransition(f"The batch does not fit what is stored: {error}") from error
    return tuple(recorded)


def _check(conn: Connection, need: Precondition, now: float) -> None:
    match need:
        case KeyFree(principal, family, key):
            taken = conn.execute(
                "SELECT 1 FROM idempotency_keys WHERE principal = ?1 AND family = ?2 AND key = ?3"
                " AND (expires_at IS NULL OR expires_at > ?4) UNION ALL SELECT 1 FROM tombstones"
                " WHERE principal = ?1 AND family = ?2 AND key = ?3 AND expires_at > ?4",
                (principal, family, key, now),
            ).fetchone()
            if taken:
                raise PreconditionFailed("This Idempotency-Key is in use.", code="idempotency_key_taken")
        case UseFree(use):
            if key_uses.find(conn, use.principal, use.family, use.key, now) is not None:
                raise PreconditionFailed("This Idempotency-Key is in use.", code="idempotency_key_taken")
        case RuleLive(rule_id):
            live = conn.execute(
                "SELECT 1 FROM rules WHERE rule_id = ? AND revoked_at IS NULL", (rule_id,)
            ).fetchone()
            if not live:
                raise PreconditionFailed("The rule no longer holds.", code="rule_revoked")
        case SessionAbsent(session_id):
            if conn.execute("SELECT 1 FROM sessions WHERE session_id = ?", (session_id,)).fetchone():
                raise PreconditionFailed("A session of this id exists.", code="session_exists")


def _append_to_stream(
    conn: Connection, part: StreamAppend, encoded: tuple[Encoded, ...], at: float, writing: Writing
) -> list[Recorded]:
    head = _head(conn, part.stream)
    if part.expected_seq is not None and part.expected_seq != head:
        raise PreconditionFailed(
            f"The stream's head is {head}, not {part.expected_seq}.", code="stale_stream"
        )
    first = (head or _begin(conn, part.stream)) + 1 if part.first_seq is None else part.first_seq
    if first <= head:
        raise PreconditionFailed(
            f"The stream's head is {head}, so {first} cannot be next.", code="stale_stream"
        )
    recorded = [
        _record(conn, part.stream, seq, at, item, writing) for seq, item in enumerate(encoded, start=first)
    ]
    if recorded and part.stream != SERVER_STREAM:
        _move_head(conn, part.stream, recorded[-1])
    return recorded


def _head(conn: Connection, stream: str) -> int:
    sql = (
        "SELECT max(seq) FROM events WHERE stream = ?"
        if stream == SERVER_STREAM
        else "SELECT head_seq FROM sessions WHERE session_id = ?"
    )
    head: Any = conn.execute(sql, (stream,)).get
    return head or 0


def _begin(conn: Connection, stream: str) -> int:
    """The number after which a stream begins that has no event yet."""
    floor = 0 if stream == SERVER_STREAM else graves.floor(conn, stream)
    if floor:
        graves.mark_as_gone(conn, stream, floor)
    return floor


def _record(conn: Connection, stream: str, seq: int, at: float, item: Encoded, writing: Writing) -> Recorded:
    admission_id = admission_of(item.event)
    conn.execute(
        "INSERT INTO events (stream, seq, kind, version, epoch, at, admission_id, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (stream, seq, type(item.event).__name__, EVENT_VERSION, writing.epoch, at, admission_id, item.body),
    )
    position = conn.last_insert_rowid()
    project(
        Place(conn, stream, seq, position, at, writing.epoch, writing.limits.idempotency_after_s), item.lean
    )
    for sha256, url in item.blobs.items():
        conn.execute("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", (sha256, url.encode()))
        conn.execute("INSERT INTO blob_uses VALUES (?, ?)", (sha256, admission_id))
    return Recorded(stream, seq, position, at, item.event)


def _move_head(conn: Connection, session_id: str, newest: Recorded) -> None:
    conn.execute(
        "UPDATE sessions SET head_seq = ?, last_active = ? WHERE session_id = ?",
        (newest.seq, newest.at, session_id),
    )
    if conn.changes() != 1:
        raise CorruptTransition(f"Session {session_id!r} was never opened.")
