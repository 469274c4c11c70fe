"""The one thing that writes: a batch of events, checked, numbered, recorded and projected inside a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import msgspec

from placet.actors.protocol.events import EVENT_VERSION, SERVER_STREAM, Recorded
from placet.actors.protocol.limits import Limits
from placet.actors.store import key_uses, numbers
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
from placet.actors.store.codec import Encoded, encode
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
            if encoded:
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
    if part.stream == SERVER_STREAM:
        return _record(conn, part.stream, numbers.of_server(conn, part), encoded, at, writing)
    if part.expected_seq:
        first = numbers.of_session(conn, part, part.expected_seq, at)
        return _record(conn, part.stream, first, encoded, at, writing)
    recorded = _record(conn, part.stream, numbers.of_new(conn, part), encoded, at, writing)
    numbers.keep(conn, part.stream, recorded[-1].seq)
    return recorded


def _record(
    conn: Connection, stream: str, first: int, encoded: tuple[Encoded, ...], at: float, writing: Writing
) -> list[Recorded]:
    epoch, key_life_s = writing.epoch, writing.limits.idempotency_after_s
    conn.executemany(
        "INSERT INTO events (stream, seq, kind, version, epoch, at, admission_id, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (stream, seq, type(item.event).__name__, EVENT_VERSION, epoch, at, item.admission_id, item.body)
            for seq, item in enumerate(encoded, first)
        ],
    )
    # Inside a transaction nobody else adds to the log, so the positions follow one another as the numbers do.
    first_position = conn.last_insert_rowid() - len(encoded) + 1
    recorded: list[Recorded] = []
    for offset, item in enumerate(encoded):
        seq, position = first + offset, first_position + offset
        project(Place(conn, stream, seq, position, at, epoch, key_life_s), item.lean)
        for sha256, url in item.blobs.items():
            conn.execute("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", (sha256, url.encode()))
            conn.execute("INSERT INTO blob_uses VALUES (?, ?)", (sha256, item.admission_id))
        recorded.append(Recorded(stream, seq, position, at, item.event))
    return recorded
