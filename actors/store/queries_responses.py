"""What is asked of responses, and the conversation that a chain of them is."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.filing import TRUNCATED_TO, Filing
from placet.actors.protocol.responses import ResponseRecord
from placet.actors.store import codec, queries

if TYPE_CHECKING:
    from placet.actors.protocol.records import AdmissionRecord
    from placet.actors.store.sql import Connection

_ROW = (
    "SELECT run_id, filing_json, r.stored, a.merged, admission_id,"
    " (SELECT seq FROM events WHERE position = a.seq),"
    " (SELECT seq FROM events e WHERE e.admission_id = r.admission_id ORDER BY e.position DESC LIMIT 1)"
    " FROM responses r JOIN session_admissions a USING (admission_id) "
)


def response(conn: Connection, run_id: str) -> ResponseRecord | None:
    """One response by its id."""
    return _record(conn, conn.execute(_ROW + "WHERE run_id = ?", (run_id,)).fetchone())


def response_of(conn: Connection, admission_id: str) -> ResponseRecord | None:
    """The response that an admission is, if it is one."""
    return _record(conn, conn.execute(_ROW + "WHERE admission_id = ?", (admission_id,)).fetchone())


def latest_response(conn: Connection, principal: str, conversation: str) -> ResponseRecord | None:
    """The newest stored response of a conversation."""
    found = conn.execute(
        _ROW + "WHERE r.principal_id = ? AND r.conversation = ? AND r.stored = 1"
        " ORDER BY r.position DESC LIMIT 1",
        (principal, conversation),
    )
    return _record(conn, found.fetchone())


def _record(conn: Connection, row: tuple[str, str, int, int, str, int, int] | None) -> ResponseRecord | None:
    admission = None if row is None else queries.admission(conn, row[4])
    if row is None or admission is None:
        return None
    return ResponseRecord(
        run_id=row[0],
        filing=msgspec.json.decode(row[1], type=Filing),
        stored=bool(row[2]),
        merged=bool(row[3]),
        first_seq=row[5],
        last_seq=row[6],
        admission=admission,
    )


def history(conn: Connection, session_id: str, before_seq: int) -> tuple[ChatMessage, ...]:
    """The conversation before a ledger row: of a response its own chain, of any other row all that its session has settled.

    A chain may branch, and both branches are in one session; so it is walked, from the row back to where its client brought the
    history itself, or to its first response.
    """
    filing = _filing(conn, before_seq)
    parts: list[tuple[ChatMessage, ...]] = []
    seq, link = before_seq, filing
    while link is not None:
        parts.append(link.before)
        previous = _previous(conn, seq)
        if previous is None:
            break
        parts.append(_turn(conn, previous.seq))
        if previous.input.history is not None:
            parts.append(previous.input.history)
            return _joined(parts, filing)
        seq, link = previous.seq, _filing(conn, previous.seq)
    parts.append(queries.history(conn, session_id, seq))
    return _joined(parts, filing)


def _joined(newest_first: list[tuple[ChatMessage, ...]], filing: Filing | None) -> tuple[ChatMessage, ...]:
    messages = tuple(message for part in reversed(newest_first) for message in part)
    if filing is None or not filing.truncates:
        return messages
    # The result of a call that is cut off says nothing, and no model would take it.
    return tuple(itertools.dropwhile(lambda message: message.role == "tool", messages[-TRUNCATED_TO:]))


def _filing(conn: Connection, seq: int) -> Filing | None:
    """What a ledger row is filed under, if it is a response."""
    found = conn.execute(
        "SELECT filing_json FROM session_admissions JOIN responses USING (admission_id) WHERE seq = ?", (seq,)
    ).fetchone()
    return None if found is None else msgspec.json.decode(found[0], type=Filing)


def _previous(conn: Connection, seq: int) -> AdmissionRecord | None:
    """The admission of the response that a response goes on from."""
    found = conn.execute(
        "SELECT p.admission_id FROM session_admissions a JOIN responses r USING (admission_id)"
        " JOIN responses p ON p.run_id = r.previous_id WHERE a.seq = ?",
        (seq,),
    ).fetchone()
    return None if found is None else queries.admission(conn, found[0])


def _turn(conn: Connection, seq: int) -> tuple[ChatMessage, ...]:
    """What one settled row said, as in the history of a session."""
    found = conn.execute(
        "SELECT m.message_json FROM session_admissions a JOIN messages m ON m.ledger_seq = a.seq"
        " WHERE a.seq = ? AND a.status = 'terminal' AND a.generation IS NOT NULL ORDER BY m.position",
        (seq,),
    )
    return tuple(
        codec.restore_message(conn, msgspec.json.decode(text, type=ChatMessage))
        for (text,) in found.fetchall()
    )
