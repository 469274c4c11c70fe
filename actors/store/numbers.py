"""The numbers of a stream's events: an append goes on from the head that the stream's owner knows, or is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.store import graves
from placet.actors.store.batch import CorruptTransition, PreconditionFailed, StreamAppend

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


def of_server(conn: Connection, part: StreamAppend) -> int:
    """The first number for the server's stream, which has no owner: its head is read here.

    Raises:
        PreconditionFailed: `stale_stream`.
    """
    head: Any = conn.execute("SELECT max(seq) FROM events WHERE stream = ?", (part.stream,)).get or 0
    if part.expected_seq not in (None, head):
        raise _stale(head, part)
    return _first(part, head)


def of_new(conn: Connection, part: StreamAppend) -> int:
    """The first number for a session that is made by this append. Its row comes with its events, and `keep` writes its head.

    Raises:
        PreconditionFailed: `stale_stream`, as there is one.
    """
    head, floor = graves.look_up(conn, part.stream)
    if head is not None:
        raise _stale(head, part)
    if floor is None or part.first_seq is not None:
        return _first(part, 0)
    graves.mark_as_gone(conn, part.stream, floor)
    return floor + 1


def keep(conn: Connection, session_id: str, head_seq: int) -> None:
    """Write the head of a session that was made just now.

    Raises:
        CorruptTransition: it was not.
    """
    conn.execute("UPDATE sessions SET head_seq = ? WHERE session_id = ?", (head_seq, session_id))
    if conn.changes() != 1:
        raise CorruptTransition(f"Session {session_id!r} was never opened.")


def of_session(conn: Connection, part: StreamAppend, head: int, at: float) -> int:
    """The first number for a session. Its head, if it is `head`, is moved to the append's end by the statement that looks.

    Raises:
        PreconditionFailed: `stale_stream`.
    """
    first = _first(part, head)
    conn.execute(
        "UPDATE sessions SET head_seq = ?, last_active = ? WHERE session_id = ? AND head_seq = ?",
        (first + len(part.events) - 1, at, part.stream, head),
    )
    if conn.changes() != 1:
        raise _stale(graves.look_up(conn, part.stream)[0], part)
    return first


def _first(part: StreamAppend, head: int) -> int:
    first = head + 1 if part.first_seq is None else part.first_seq
    if first <= head:
        raise PreconditionFailed(
            f"The stream's head is {head}, so {first} cannot be next.", code="stale_stream"
        )
    return first


def _stale(head: int | None, part: StreamAppend) -> PreconditionFailed:
    return PreconditionFailed(
        f"The stream's head is {head or 0}, not {part.expected_seq}.", code="stale_stream"
    )
