"""What is remembered of a deleted session: how far its numbers had gone.

A session that is made again under the same id goes on above them. So a place in the old one, which a reader may still have, is
never taken for a place in the new one: to resume there is told as a replay that is not whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.ids import EPHEMERAL

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


def bury(conn: Connection, session_id: str) -> None:
    """Remember the numbers of a session that is about to be deleted."""
    conn.execute(
        "INSERT INTO graves SELECT ?, head_seq FROM sessions WHERE session_id = ?"
        " ON CONFLICT (grave) DO UPDATE SET head_seq = max(head_seq, excluded.head_seq)",
        (_grave(session_id), session_id),
    )


def look_up(conn: Connection, session_id: str) -> tuple[int | None, int | None]:
    """The head of the session of this id, and the newest number that one had in an earlier life; `None` where there is none."""
    found: tuple[int | None, int | None] = conn.execute(
        "SELECT (SELECT head_seq FROM sessions WHERE session_id = ?), (SELECT head_seq FROM graves WHERE grave = ?)",
        (session_id, _grave(session_id)),
    ).get
    return found


def mark_as_gone(conn: Connection, session_id: str, head_seq: int) -> None:
    """Let whoever resumes at a number up to this one be told that what followed is gone."""
    conn.execute("INSERT INTO merges VALUES (?, 1, ?)", (session_id, head_seq + 1))


def _grave(session_id: str) -> str:
    """Sessions of single requests are many and share one grave; their ids come back only when a key is used again."""
    return EPHEMERAL if session_id.startswith(EPHEMERAL) else session_id
