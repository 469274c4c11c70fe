"""The audit chain: each decision's hash covers the one before it, so that a change or a gap shows."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.events import SERVER_STREAM, DecisionRecorded
from placet.actors.store.codec import decode_lean, to_json

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

GENESIS = "0" * 64
"""What the first link takes for the hash before it."""

STRETCH = 2000
"""Links that are verified in one read: some ten milliseconds of a reader's thread."""

_WITH_LOG = "decisions d LEFT JOIN events e USING (position)"


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


class Mark(msgspec.Struct, frozen=True):
    """How far a chain was verified.

    Attributes:
        number: of the last link that holds; 0 if none was looked at.
        hash: its hash.
        log_seq: how far the server's stream was counted.
        logged: decisions in that part of it.
    """

    number: int = 0
    hash: str = GENESIS
    log_seq: int = 0
    logged: int = 0


class Verdict(msgspec.Struct, frozen=True):
    """What looking at a stretch of a chain has shown.

    Attributes:
        mark: how far it holds now.
        broken: the first link that does not.
        at_end: whether there is nothing more to look at.
    """

    mark: Mark
    broken: BrokenLink | None
    at_end: bool


def verify(conn: Connection) -> BrokenLink | None:
    """The first link of the whole chain that does not hold, or `None`.

    A chain shows what was changed, removed or put in between. A cut tail, or a chain that was forged from some link on, shows only
    against the event log; whoever forges both is found by an anchor kept elsewhere, such as the last hash in a log file.
    """
    verdict = verify_from(conn, Mark())
    while not verdict.at_end:
        verdict = verify_from(conn, verdict.mark)
    return verdict.broken


def verify_from(conn: Connection, mark: Mark) -> Verdict:
    """Verify the next stretch of the chain, and that what was verified before is still its beginning."""
    kept = conn.execute("SELECT hash FROM decisions WHERE number = ?", (mark.number,)).get
    if mark.number and kept != mark.hash:
        return Verdict(mark, BrokenLink(mark.number, "it is not what it was"), at_end=True)
    found = conn.execute(
        f"SELECT number, hash, prev_hash, record, body FROM {_WITH_LOG} WHERE number > ? ORDER BY number LIMIT ?",
        (mark.number, STRETCH),
    ).fetchall()
    for number, stored, *rest in found:
        why = "it is missing" if number != mark.number + 1 else _fault(mark.hash, stored, *rest)
        if why is not None:
            return Verdict(mark, BrokenLink(mark.number + 1, why), at_end=True)
        mark = msgspec.structs.replace(mark, number=number, hash=stored)
    return Verdict(mark, None, at_end=False) if len(found) == STRETCH else _compare_with_log(conn, mark)


def check(conn: Connection, numbers: tuple[int, ...]) -> BrokenLink | None:
    """The first of some links that does not hold by itself, or `None`."""
    found = conn.execute(
        "SELECT number, coalesce((SELECT hash FROM decisions p WHERE p.number = d.number - 1), ?), hash, prev_hash, record, body"
        f" FROM {_WITH_LOG} WHERE number IN ({', '.join('?' * len(numbers))}) ORDER BY number",
        (GENESIS, *numbers),
    )
    faults = ((number, _fault(before, *rest)) for number, before, *rest in found)
    return next((BrokenLink(number, why) for number, why in faults if why is not None), None)


def _compare_with_log(conn: Connection, mark: Mark) -> Verdict:
    """At its end a chain must have as many links as the log has decisions."""
    more, reached = conn.execute(
        "SELECT count(*), max(seq) FROM events WHERE stream = ? AND seq > ? AND kind = 'DecisionRecorded'",
        (SERVER_STREAM, mark.log_seq),
    ).fetchall()[0]
    logged = mark.logged + more
    if logged != mark.number:
        why = f"the log holds {logged} decisions, the chain {mark.number}"
        return Verdict(mark, BrokenLink(mark.number + 1, why), at_end=True)
    return Verdict(
        msgspec.structs.replace(mark, log_seq=reached or mark.log_seq, logged=logged), None, at_end=True
    )


def _fault(before: str, stored: str, prev_hash: str, record: str, body: str | None) -> str | None:
    """Why a link does not hold, whose predecessor has the hash `before`."""
    if prev_hash != before:
        return "it does not follow the link before it"
    if stored != _hash(prev_hash, record):
        return "its record is not what was hashed"
    try:
        same = body is not None and decode_lean(body) == msgspec.json.decode(record, type=_Record).decision
    except msgspec.MsgspecError:
        return "it cannot be read"
    return None if same else "the log says something else"


def _hash(prev_hash: str, record: str) -> str:
    return hashlib.sha256((prev_hash + record).encode()).hexdigest()


def link_of(record: str, prev_hash: str, stored: str) -> Link:
    """The link in a row of the table."""
    content = msgspec.json.decode(record, type=_Record)
    return Link(
        number=content.number,
        position=content.position,
        at=content.at,
        decision=content.decision,
        prev_hash=prev_hash,
        hash=stored,
    )
