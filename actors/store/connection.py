"""How the database is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import apsw

if TYPE_CHECKING:
    from pathlib import Path

    from placet.actors.store.sql import Connection

BUSY_MS = 5_000
"""How long another process may hold the lock before a write is refused: longer than a backup, shorter than a client's patience."""

CHECKPOINT_PAGES = 1_000
"""SQLite's own default, 4 MB: rare enough to cost nothing, early enough to keep the log small."""

LOG_BYTES = 4 * 1024 * 1024
"""To what the log is cut back after a burst made it larger."""

CACHE_KIB = 16 * 1024
"""The writer's page cache: the pages that a full group changes, so that none is written twice in one commit."""


class _OneCursor(apsw.Connection):
    """A connection that runs all its statements on one cursor: to make one for each is a third of what a small one costs.

    So an answer is to be read before the next statement.
    """

    def __init__(self, name: str, flags: int) -> None:
        super().__init__(name, flags=flags)
        cursor: Any = self.cursor()
        vars(self).update(execute=cursor.execute, executemany=cursor.executemany)


def open_writer(path: Path) -> Connection:
    """The one connection that writes and checkpoints. `path` must exist, so that its mode is ours and not the umask's."""
    conn = _open(_OneCursor(str(path), apsw.SQLITE_OPEN_READWRITE))
    conn.pragma("journal_mode", "WAL")
    conn.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
    conn.pragma("journal_size_limit", LOG_BYTES)
    conn.pragma("cache_size", -CACHE_KIB)
    # Else a savepoint keeps its copies of pages in a file among the system's temporary ones, and fails when that disk is full.
    conn.pragma("temp_store", "MEMORY")
    return _defended(conn)


def open_reader(path: Path) -> Connection:
    """A connection that cannot write. Closing it never touches the file."""
    conn = _open(apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY))
    conn.pragma("query_only", 1)
    return conn


def open_memory() -> Connection:
    """A database that nobody else sees."""
    return _defended(_open(_OneCursor(":memory:", apsw.SQLITE_OPEN_READWRITE)))


def _open(conn: apsw.Connection) -> Connection:
    conn.set_busy_timeout(BUSY_MS)
    return cast("Connection", conn)


def _defended(conn: Connection) -> Connection:
    conn.pragma("foreign_keys", 1)
    conn.pragma("trusted_schema", 0)
    return conn
