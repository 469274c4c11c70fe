"""A copy of the database, taken beside a running server, and known to be whole before it gets its name."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import apsw

from placet.actors.protocol.errors import Conflict, NotFound, StoreUnavailable
from placet.actors.store.chain import verify
from placet.actors.store.connection import open_reader
from placet.actors.store.opening import DATABASE, quick_check

if TYPE_CHECKING:
    from pathlib import Path


def backup(data_dir: Path, target: Path) -> None:
    """Copy the database in `data_dir` to the new file `target`, for its owner alone. Blocks; call it in a thread.

    The copy is one moment of the database. The server goes on writing meanwhile, though its log grows until the copy is done.

    Args:
        data_dir: of a server that runs or does not.
        target: where the copy goes; its directory exists and it does not.

    Raises:
        NotFound: there is no database.
        Conflict: `target_exists`.
        StoreUnavailable: the copy could not be made or is not sound; then there is no `target`.
    """
    source = data_dir / DATABASE
    if not source.exists():
        raise NotFound(f"There is no {DATABASE} in the data directory.")
    if target.exists():
        raise Conflict("The backup's target exists. Choose another name.", code="target_exists")
    unfinished = target.with_name(target.name + ".part")
    try:
        _copy(source, unfinished)
        _check(unfinished)
        unfinished.replace(target)
    except (apsw.Error, OSError) as error:
        raise StoreUnavailable(f"The backup could not be made: {error}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _copy(source: Path, unfinished: Path) -> None:
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with contextlib.closing(open_reader(source)) as conn:
        # query_only refuses VACUUM even where it writes elsewhere; that the file was opened read-only still holds.
        conn.pragma("query_only", 0)
        conn.execute("VACUUM INTO ?", (str(unfinished),))


def _check(unfinished: Path) -> None:
    with contextlib.closing(open_reader(unfinished)) as conn:
        problems = quick_check(conn)
        broken = verify(conn)
    if problems or broken is not None:
        raise StoreUnavailable(f"The copy is not sound: {problems[0] if problems else broken}.")
