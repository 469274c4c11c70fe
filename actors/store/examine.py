"""Looking at a data directory without a server, for `placet doctor`. Nothing is changed, also not beside a running server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from placet.actors.protocol.errors import NotFound, StartRefused
from placet.actors.store import chain
from placet.actors.store.connection import open_reader
from placet.actors.store.opening import DATABASE, quick_check
from placet.actors.store.schema import SCHEMA_VERSION, schema_version

if TYPE_CHECKING:
    from pathlib import Path

    from placet.actors.store.sql import Connection

_COUNTED = (
    "sessions",
    "session_admissions",
    "events",
    "messages",
    "approvals",
    "decisions",
    "rules",
    "run_aliases",
    "idempotency_keys",
    "steps",
    "blobs",
)


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a data directory's database.

    Attributes:
        schema_version: of the file.
        known_schema_version: of this Placet.
        sqlite_version: of the library that looked.
        epoch: how often a server has taken the file.
        problems: what SQLite finds wrong with it; empty if it is sound.
        broken_link: where the audit chain does not hold, `None` if it does.
        counts: rows by table.
        unsettled: admissions that are queued, started or unknown.
        open_approvals: prompts that wait.
        size_bytes: of the file, its log not counted.
    """

    schema_version: int
    known_schema_version: int
    sqlite_version: str
    epoch: int
    problems: tuple[str, ...]
    broken_link: chain.BrokenLink | None
    counts: dict[str, int]
    unsettled: int
    open_approvals: int
    size_bytes: int


def examine(data_dir: Path) -> Examination:
    """Look at the database in `data_dir`. Blocks; call it in a thread or outside the loop.

    Raises:
        NotFound: there is no database.
        StartRefused: it is not one of ours, or cannot be read at all.
    """
    path = data_dir / DATABASE
    if not path.exists() or path.stat().st_size == 0:
        raise NotFound(f"There is no {DATABASE} in the data directory.")
    try:
        conn = open_reader(path)
        try:
            return _examine(conn, path)
        finally:
            conn.close()
    except apsw.Error as error:
        raise StartRefused(f"{path} cannot be read: {error}.") from error


def _examine(conn: Connection, path: Path) -> Examination:
    version = schema_version(conn)
    known = version == SCHEMA_VERSION
    return Examination(
        schema_version=version,
        known_schema_version=SCHEMA_VERSION,
        sqlite_version=apsw.sqlite_lib_version(),
        epoch=_number(conn, "SELECT value FROM meta WHERE name = 'epoch'"),
        problems=tuple(quick_check(conn)),
        broken_link=chain.verify(conn) if known else None,
        counts={table: _number(conn, f"SELECT count(*) FROM {table}") for table in _COUNTED} if known else {},
        unsettled=_number(conn, "SELECT count(*) FROM session_admissions WHERE status != 'terminal'")
        if known
        else 0,
        open_approvals=_number(conn, "SELECT count(*) FROM approvals WHERE status = 'open'") if known else 0,
        size_bytes=path.stat().st_size,
    )


def _number(conn: Connection, sql: str) -> int:
    found: Any = conn.execute(sql).get
    return int(found or 0)
