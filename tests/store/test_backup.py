"""A backup is whole, for its owner alone, and taken without stopping the server."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.protocol.errors import Conflict, NotFound, StoreUnavailable
from placet.actors.protocol.events import SERVER_STREAM
from placet.actors.store import Store, backup, examine, open_store
from tests.store.build import Scribe, accepted, link, opened

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.thread


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(directory: Path) -> set[str]:
    return {item.name for item in directory.iterdir()}


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies"


async def test_a_copy_of_a_running_server_can_be_started(disk: Store, tmp_path: Path, copies: Path) -> None:
    scribe = Scribe(disk)
    await scribe.write("s", opened(), accepted("a"))
    await scribe.write(SERVER_STREAM, link("r"))
    await trio.to_thread.run_sync(backup, tmp_path / "data", copies / "placet.db")
    await scribe.write("s", accepted("later"))
    assert (mode(copies / "placet.db"), names(copies)) == (0o600, {"placet.db"})
    assert examine(copies).counts["decisions"] == 1
    async with open_store(copies) as copy:
        assert copy.digest_key == disk.digest_key
        assert await copy.admission("a") is not None
        assert await copy.admission("later") is None


async def test_nothing_is_overwritten(disk: Store, tmp_path: Path, copies: Path) -> None:
    await trio.to_thread.run_sync(backup, tmp_path / "data", copies / "one")
    with pytest.raises(Conflict) as caught:
        await trio.to_thread.run_sync(backup, tmp_path / "data", copies / "one")
    assert caught.value.code == "target_exists"


def test_there_must_be_a_database(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        backup(tmp_path, tmp_path / "copy")


def test_a_damaged_one_gives_no_copy(tmp_path: Path, copies: Path) -> None:
    (tmp_path / "placet.db").write_bytes(b"notes" * 1000)
    with pytest.raises(StoreUnavailable):
        backup(tmp_path, copies / "copy")
    assert names(copies) == set()


async def test_a_broken_chain_gives_no_copy(disk: Store, tmp_path: Path, copies: Path) -> None:
    await Scribe(disk).write(SERVER_STREAM, link("r"))
    await disk._writer.run(
        lambda conn: conn.execute("DROP TRIGGER decisions_are_kept; DELETE FROM decisions")
    )
    with pytest.raises(StoreUnavailable, match="not sound"):
        await trio.to_thread.run_sync(backup, tmp_path / "data", copies / "copy")
    assert names(copies) == set()
