"""Taking a data directory: what is checked, in which order, and why a start is refused. A refusal leaves the file as it was."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from placet.actors.protocol.errors import StartRefused
from placet.actors.protocol.events import EVENT_VERSION
from placet.actors.store.connection import open_memory, open_reader, open_writer
from placet.actors.store.schema import SCHEMA_VERSION, migrate, schema_version
from placet.actors.store.sql import Connection

if TYPE_CHECKING:
    from pathlib import Path

DATABASE = "placet.db"

SQLITE_MIN = (3, 51, 3)
"""Earlier ones from 3.7.0 on may damage a log when two connections write or checkpoint at once."""


class Owned(msgspec.Struct, frozen=True):
    """A database that this process has taken.

    Attributes:
        conn: the writing connection.
        epoch: ours; whoever takes it next has a higher one.
        instance_id: of this ownership, 32 hex digits.
        digest_key: the data directory's own, 32 bytes.
        readers: read-only connections.
    """

    conn: Connection
    epoch: int
    instance_id: str
    digest_key: bytes
    readers: list[Connection]


def check_sqlite(version: str) -> None:
    """Refuse a library that may damage the file.

    Raises:
        StartRefused: `version` is older than `SQLITE_MIN`.
    """
    if tuple(int(part) for part in version.split(".")) < SQLITE_MIN:
        needed = ".".join(map(str, SQLITE_MIN))
        raise StartRefused(
            f"SQLite {version} has a bug that can damage the database; install apsw with {needed} or later."
        )


def make_directory(data_dir: Path) -> None:
    """Make the data directory for its owner alone, if it does not exist. An existing one keeps its mode.

    Raises:
        StartRefused: it cannot be made or written to.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartRefused(f"The data directory {data_dir} cannot be made: {error.strerror}.") from error
    if not os.access(data_dir, os.W_OK | os.X_OK):
        raise StartRefused(
            f"The data directory {data_dir} is not writable. Change its owner or choose another --data-dir."
        )


def check_file(path: Path) -> None:
    """Look at an existing database through a connection that cannot write.

    Raises:
        StartRefused: it is not ours, damaged, or written by a newer Placet.
    """
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        conn = open_reader(path)
        try:
            _check_content(conn)
        finally:
            conn.close()
    except apsw.NotADBError as error:
        raise StartRefused(f"{path} is not a database. Move it away or choose another --data-dir.") from error
    except apsw.Error as error:
        raise StartRefused(f"{path} cannot be read: {error}. Restore it from a backup.") from error


def _check_content(conn: Connection) -> None:
    found = schema_version(conn)
    if found > SCHEMA_VERSION:
        raise StartRefused(
            f"The database has schema {found}; this Placet knows {SCHEMA_VERSION}. Start a newer Placet, or restore a backup."
        )
    problems = quick_check(conn)
    if problems:
        raise StartRefused(f"The database is damaged: {problems[0]}. Restore it from a backup.")
    if found:
        newest: Any = conn.execute("SELECT max(version) FROM events").get
        if (newest or 0) > EVENT_VERSION:
            raise StartRefused(
                f"The database holds events of version {newest}; this Placet knows {EVENT_VERSION}. Start a newer Placet."
            )


def quick_check(conn: Connection) -> list[str]:
    """What SQLite finds wrong with the file; empty if it is sound."""
    return [text for (text,) in conn.execute("PRAGMA quick_check") if text != "ok"]


def take(path: Path, readers: int = 0) -> Owned:
    """Open a checked database for writing, bring its schema up to date and raise its epoch.

    Args:
        path: of the database; made if it does not exist.
        readers: how many read-only connections to open beside it.

    Raises:
        StartRefused: the disk or another process refuses.
    """
    with contextlib.ExitStack() as on_error:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            path.chmod(0o600)
            conn = on_error.enter_context(contextlib.closing(open_writer(path)))
            owned = _raise_epoch(conn)
            owned.readers.extend(
                on_error.enter_context(contextlib.closing(open_reader(path))) for _ in range(readers)
            )
        except (apsw.Error, OSError) as error:
            raise StartRefused(f"{path} cannot be opened for writing: {error}.") from error
        on_error.pop_all()
    return owned


def take_memory() -> Owned:
    """A new database in memory."""
    return _raise_epoch(open_memory())


def _raise_epoch(conn: Connection) -> Owned:
    instance_id = secrets.token_hex(16)
    conn.execute("BEGIN IMMEDIATE")
    migrate(conn)
    conn.execute(
        "INSERT INTO meta VALUES ('digest_key', ?) ON CONFLICT DO NOTHING", (secrets.token_bytes(32),)
    )
    conn.execute("INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT DO UPDATE SET value = value + 1")
    conn.execute("INSERT OR REPLACE INTO meta VALUES ('instance_id', ?)", (instance_id,))
    meta: dict[str, Any] = dict(conn.execute("SELECT name, value FROM meta"))
    conn.execute("COMMIT")
    return Owned(conn, meta["epoch"], instance_id, bytes(meta["digest_key"]), [])
