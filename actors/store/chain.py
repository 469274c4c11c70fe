"""The audit chain: each decision's hash covers the one before it, so that a change or a gap shows."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.events import DecisionRecorded
from placet.actors.store.codec import decode_lean, to_json

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

GENESIS = "0" * 64
"""What the first link takes for the hash before it."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """One decision in its place in the chain.

    Attributes:
        number: 1 for the first, without gaps.
        position: of its event in the whole log.
        at: Unix seconds.
        decision: what was decided.
        prev_hash: the hash of the link before it, in hex.
        hash: sha256 of `prev_hash` and the record's canonical JSON, in hex.
    """

    number: int
    position: int
    at: float
    decision: DecisionRecorded
    prev_hash: str
    hash: str


class BrokenLink(msgspec.Struct, frozen=True):
    """Where the chain does not hold.

    Attributes:
        number: of the link that should be there or is wrong.
        why: what is wrong with it, for a person.
    """

    number: int
    why: str


class _Record(msgspec.Struct, frozen=True):
    number: int
    position: int
    at: float
    decision: DecisionRecorded


def add_link(conn: Connection, *, position: int, at: float, decision: DecisionRecorded) -> None:
    """Append a link. The head is read here, inside the transaction, so that two can never follow the same one."""
    row = conn.execute("SELECT number, hash FROM decisions ORDER BY number DESC LIMIT 1").fetchone()
    number, prev_hash = (row[0] + 1, row[1]) if row else (1, GENESIS)
    record = to_json(_Record(number, position, at, decision))
    conn.execute(
        "INSERT INTO decisions (number, position, record, prev_hash, hash) VALUES (?, ?, ?, ?, ?)",
        (number, position, record, prev_hash, _hash(prev_hash, record)),
    )


def links(conn: Connection, *, after: int, limit: int) -> list[Link]:
    """At most `limit` links whose events lie after the position `after`, oldest first."""
    rows = conn.execute(
        "SELECT record, prev_hash, hash FROM decisions WHERE position > ? ORDER BY number LIMIT ?",
        (after, limit),
    )
    return [_link(*row) for row in rows]


def verify(conn: Connection) -> BrokenLink | None:
    """The first link that does not hold, or `None`.

    A chain shows what was changed, removed or put in between. A cut tail, or a chain that was forged from some link on, shows only
    against the event log; whoever forges both is found by an anchor kept elsewhere, such as the last hash in a log file.
    """
    expected, count = GENESIS, 0
    found = conn.execute(
        "SELECT d.number, d.record, d.prev_hash, d.hash, e.body FROM decisions d LEFT JOIN events e USING (position)"
        " ORDER BY d.number"
    )
    for number, record, prev_hash, stored, body in found:
        count += 1
        if number != count:
            return BrokenLink(count, "it is missing")
        if prev_hash != expected:
            return BrokenLink(count, "it does not follow the link before it")
        why = _fault(record, prev_hash, stored, body)
        if why is not None:
            return BrokenLink(count, why)
        expected = stored
    recorded = conn.execute(
        "SELECT count(*) FROM events WHERE stream = '_server' AND kind = 'DecisionRecorded'"
    ).get
    if recorded != count:
        return BrokenLink(count + 1, f"the log holds {recorded} decisions, the chain {count}")
    return None


def _fault(record: str, prev_hash: str, stored: str, body: str | None) -> str | None:
    if stored != _hash(prev_hash, record):
        return "its record is not what was hashed"
    try:
        same = body is not None and decode_lean(body) == msgspec.json.decode(record, type=_Record).decision
    except msgspec.MsgspecError:
        return "it cannot be read"
    return None if same else "the log says something else"


def _hash(prev_hash: str, record: str) -> str:
    return hashlib.sha256((prev_hash + record).encode()).hexdigest()


def _link(record: str, prev_hash: str, stored: str) -> Link:
    content = msgspec.json.decode(record, type=_Record)
    return Link(
        number=content.number,
        position=content.position,
        at=content.at,
        decision=content.decision,
        prev_hash=prev_hash,
        hash=stored,
    )
