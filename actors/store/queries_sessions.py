"""What is asked of sessions by those who look at them: lists, counts, conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.conversation import ChatMessage
from placet.actors.protocol.records import MessageRecord, RunStatus, SessionFacts, SessionRecord
from placet.actors.store import codec, rows
from placet.actors.store.page import Page, page

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

FIRST_WORDS = 80
"""Characters of a session's first message in a list: one line."""

_CONVERSATION = (
    " FROM (SELECT 0 AS part, key AS place, 0 AS position, value AS message, NULL AS admission_id, created_at AS at"
    " FROM sessions, json_each(inherited_json) WHERE session_id = ?1 UNION ALL"
    " SELECT 1, a.seq, m.position, m.message_json, a.admission_id, a.created_at"
    " FROM session_admissions a JOIN messages m ON m.ledger_seq = a.seq"
    " WHERE a.target_session_id = ?1 AND a.generation IS NOT NULL)"
)
"""What was inherited, then the messages of every turn that has started."""


_HAS_WORDS = (
    "(instr(lower(coalesce(title, '') || char(10) || session_id), lower(?)) > 0 OR EXISTS (SELECT 1"
    " FROM session_admissions a JOIN messages m ON m.ledger_seq = a.seq WHERE a.target_session_id = session_id"
    " AND instr(lower(m.message_json), lower(?)) > 0))"
)


class SessionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions a list is to show; `None` means any.

    Attributes:
        principal: who owns them.
        title: exactly their title.
        source: by which door they came.
        hidden: whether hidden ones are among them.
        words: what their title, their id or a message contains, in any case. Messages are read through for it.
    """

    principal: str | None = None
    title: str | None = None
    source: str | None = None
    hidden: bool = False
    words: str | None = None


def sessions(
    conn: Connection, wanted: SessionFilter, after: str | None, offset: int, limit: int
) -> Page[SessionRecord]:
    """Sessions that a request named, the last active first."""
    conditions, values = ["ephemeral = 0"], list[object]()
    if not wanted.hidden:
        conditions.append("hidden = 0")
    columns = {"principal_id": wanted.principal, "title": wanted.title, "source": wanted.source}
    for column, value in columns.items():
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    if wanted.words is not None:
        conditions.append(_HAS_WORDS)
        values += [wanted.words] * 2
    if after is not None:
        conditions.append(
            "(last_active, session_id) < (SELECT last_active, session_id FROM sessions WHERE session_id = ?)"
        )
        values.append(after)
    sql = f"{rows.SESSION} WHERE {' AND '.join(conditions)} ORDER BY last_active DESC, session_id DESC LIMIT ? OFFSET ?"
    found = conn.execute(sql, (*values, limit + 1, offset))
    return page([rows.session(row) for row in found], limit)


def facts(conn: Connection, session_ids: tuple[str, ...]) -> dict[str, SessionFacts]:
    """What is counted of each session."""
    return {session_id: _facts(conn, session_id) for session_id in session_ids}


def _facts(conn: Connection, session_id: str) -> SessionFacts:
    prompt_tokens, completion_tokens = conn.execute(
        "SELECT coalesce(sum(result_json ->> '$.usage.prompt_tokens'), 0),"
        " coalesce(sum(result_json ->> '$.usage.completion_tokens'), 0)"
        " FROM session_admissions WHERE target_session_id = ?",
        (session_id,),
    ).fetchone()
    first = messages(conn, session_id, 0, 1, newest=False)
    status, queued = _standing(conn, session_id)
    return SessionFacts(
        messages=conn.execute("SELECT count(*)" + _CONVERSATION, (session_id,)).get,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        first_words=" ".join(first[0].message.text.split())[:FIRST_WORDS] if first else "",
        status=status,
        queued=queued,
    )


def _standing(conn: Connection, session_id: str) -> tuple[RunStatus | None, int]:
    """Where the run stands that is first in the queue, and how many inputs wait."""
    found = conn.execute(
        "SELECT status, stopping, EXISTS (SELECT 1 FROM approvals p WHERE p.admission_id = a.admission_id"
        " AND p.status = 'open') FROM session_admissions a WHERE target_session_id = ? AND status != 'terminal' ORDER BY seq",
        (session_id,),
    ).fetchall()
    if not found:
        return None, 0
    status, stopping, asks = found[0]
    running = RunStatus.STOPPING if stopping else RunStatus.WAITING if asks else RunStatus.RUNNING
    queued = sum(row[0] == "queued" for row in found)
    return running if status == "started" else RunStatus(status), queued


def messages(
    conn: Connection, session_id: str, offset: int, limit: int, *, newest: bool
) -> list[MessageRecord]:
    """A stretch of a conversation in its order, counted from its beginning or from its newest message."""
    order = "DESC" if newest else "ASC"
    found = conn.execute(
        f"SELECT part, place, position, message, admission_id, at {_CONVERSATION}"
        f" ORDER BY part {order}, place {order}, position {order} LIMIT ?2 OFFSET ?3",
        (session_id, limit, offset),
    ).fetchall()
    records = [
        MessageRecord(
            message_id=f"msg_{position}" if part else f"inherited_{place}",
            message=codec.restore_message(conn, msgspec.json.decode(message, type=ChatMessage)),
            admission_id=admission_id,
            at=at,
        )
        for part, place, position, message, admission_id, at in found
    ]
    return records[::-1] if newest else records
