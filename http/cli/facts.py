"""What `placet doctor` looks at: the files, the database, the server. Nothing is changed by looking."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.actors.protocol.errors import NotFound, PlacetError
from placet.actors.protocol.records import RunRecord, RunStatus
from placet.actors.store import Examination, RunFilter, examine
from placet.actors.store.connection import open_reader
from placet.actors.store.queries_runs import runs
from placet.http.api_key import KEY_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from placet.http.client import Client

DATABASE: Final = "placet.db"
_FILES: Final = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "lock", KEY_FILE)
_MOST: Final = 200
"""Runs of one kind that are named; with more there is another trouble first."""


class Entry(msgspec.Struct, frozen=True):
    """A file or directory: its permission bits, and whether it is this user's."""

    path: str
    mode: int
    is_ours: bool = True
    is_directory: bool = False


class Files(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in a data directory.

    Attributes:
        entries: the directory and those of its files that are there; empty if there is no such directory.
        server_pid: of the process that has taken the directory, if it lives.
    """

    entries: tuple[Entry, ...]
    server_pid: int | None


class Database(msgspec.Struct, frozen=True, kw_only=True):
    """How the database is.

    Attributes:
        examination: of it; `None` if that is not possible.
        error: why not, in a sentence.
        is_missing: whether there is none.
        size_bytes: of it with its log.
        unknown: runs of which nobody knows how far they came.
        stopping: runs that someone has stopped and that have not ended.
    """

    examination: Examination | None = None
    error: str = ""
    is_missing: bool = False
    size_bytes: int = 0
    unknown: tuple[RunRecord, ...] = ()
    stopping: tuple[RunRecord, ...] = ()


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says of itself.

    Attributes:
        url: where it was asked.
        error: why it did not say, empty if it did.
        status: its own word.
        store_error: why its last write failed.
        epoch: of the database that it has taken.
    """

    url: str
    error: str = ""
    status: str = ""
    store_error: str | None = None
    epoch: int | None = None


def look_at_files(data_dir: Path) -> Files:
    """The files, and who has taken the directory."""
    paths = [data_dir, *(data_dir / name for name in _FILES)]
    return Files(
        entries=tuple(_entry(path) for path in paths if path.exists()),
        server_pid=_server_pid(data_dir / "lock"),
    )


def look_at_database(data_dir: Path) -> Database:
    """The database, also beside a server that runs. Blocks for as long as it takes to read the whole file."""
    try:
        examination = examine(data_dir)
    except NotFound as missing:
        return Database(error=missing.message, is_missing=True)
    except PlacetError as error:
        return Database(error=error.message)
    if examination.problems or examination.schema_version != examination.known_schema_version:
        return Database(examination=examination)
    with closing(open_reader(data_dir / DATABASE)) as conn:
        unknown, stopping = (
            runs(conn, RunFilter(status=status), None, _MOST).items
            for status in (RunStatus.UNKNOWN, RunStatus.STOPPING)
        )
    return Database(
        examination=examination,
        size_bytes=size_bytes(data_dir),
        unknown=tuple(unknown),
        stopping=tuple(stopping),
    )


def size_bytes(data_dir: Path) -> int:
    """How much the database takes with its log, which holds what was written last."""
    paths = (data_dir / DATABASE, data_dir / f"{DATABASE}-wal")
    return sum(path.stat().st_size for path in paths if path.exists())


async def look_at_server(client: Client) -> Health:
    """What the server says of itself."""
    url = client.target.url
    try:
        found: dict[str, Any] = await client.ask("GET", "/health/detailed")
    except PlacetError as error:
        return Health(url=url, error=error.message)
    store: dict[str, Any] = found.get("store") or {}
    return Health(
        url=url,
        status=str(found.get("status", "")),
        store_error=store.get("error"),
        epoch=store.get("epoch"),
    )


def _entry(path: Path) -> Entry:
    found = path.stat()
    return Entry(
        path=str(path),
        mode=stat.S_IMODE(found.st_mode),
        is_ours=found.st_uid == os.geteuid(),
        is_directory=stat.S_ISDIR(found.st_mode),
    )


def _server_pid(lock: Path) -> int | None:
    """Whom the lock file names, if that process lives. The lock itself is not tried: a server that starts could meet ours."""
    try:
        pid = int(lock.read_text())
    except (OSError, ValueError):
        return None
    return pid if pid > 0 and _lives(pid) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
