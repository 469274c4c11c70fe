"""Taking a data directory: what it looks like, and when a start is refused without touching anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
import trio

from placet.actors.protocol.errors import NotFound, StartRefused
from placet.actors.protocol.events import EVENT_VERSION, SERVER_STREAM
from placet.actors.store import Examination, Store, examine, open_store, schema
from placet.actors.store.opening import check_sqlite
from placet.actors.store.schema import SCHEMA_VERSION
from tests.store.build import Scribe, accepted, asked, claimed, link, opened

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.thread


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "data"


@pytest.fixture
async def used(data_dir: Path) -> Path:
    """A directory whose server has stopped, with something in it; the database's path."""
    async with open_store(data_dir) as store:
        scribe = Scribe(store)
        await scribe.write(
            "s", opened(), accepted("a", text="x" * 50_000), claimed("a", 1), asked("r", "a", 1)
        )
        await scribe.write(SERVER_STREAM, link("r"))
    return data_dir / "placet.db"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def content(path: Path) -> bytes:
    return path.read_bytes()


def modes(directory: Path) -> dict[str, int]:
    return {item.name: mode(item) for item in directory.iterdir()}


def alter(path: Path, sql: str) -> None:
    conn = apsw.Connection(str(path))
    conn.execute(sql)
    conn.close()


async def look(path: Path) -> Examination:
    return await trio.to_thread.run_sync(examine, path.parent)


async def refusal(data_dir: Path) -> str:
    with pytest.raises(StartRefused) as caught:
        async with open_store(data_dir):
            pass
    return caught.value.message


async def test_what_it_makes_is_for_its_owner_alone(data_dir: Path) -> None:
    umask = os.umask(0)
    try:
        async with open_store(data_dir) as store:
            await Scribe(store).write("s", opened())
            assert mode(data_dir) == 0o700
            assert modes(data_dir) == {
                "lock": 0o600,
                "placet.db": 0o600,
                "placet.db-shm": 0o600,
                "placet.db-wal": 0o600,
            }
    finally:
        os.umask(umask)


@pytest.fixture
def existing(tmp_path: Path) -> Path:
    """A directory that was there before, with an empty file where the database will be."""
    tmp_path.chmod(0o755)
    (tmp_path / "placet.db").touch(mode=0o644)
    return tmp_path


async def test_a_directory_that_exists_keeps_its_mode_and_an_empty_file_is_a_new_database(
    existing: Path,
) -> None:
    async with open_store(existing) as store:
        assert store.epoch == 1
        assert (mode(existing), mode(existing / "placet.db")) == (0o755, 0o600)


async def test_each_taking_has_a_new_epoch_and_the_same_key(data_dir: Path) -> None:
    seen: list[tuple[int, str, bytes]] = []
    for _ in range(2):
        async with open_store(data_dir) as store:
            seen.append((store.epoch, store.instance_id, store.digest_key))
    (epoch, instance_id, key), (next_epoch, next_instance_id, next_key) = seen
    assert (epoch, next_epoch) == (1, 2)
    assert instance_id != next_instance_id
    assert key == next_key
    assert len(key) == 32


async def test_the_key_is_not_that_of_another_directory(tmp_path: Path) -> None:
    async with open_store(tmp_path / "one") as one, open_store(tmp_path / "two") as two:
        assert one.digest_key != two.digest_key


@pytest.mark.parametrize("version", ["3.51.2", "3.40.1", "3.7.0"])
def test_a_library_with_the_log_bug_is_refused(version: str) -> None:
    with pytest.raises(StartRefused, match=r"install apsw"):
        check_sqlite(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "4.0.0", apsw.sqlite_lib_version()])
def test_a_library_without_it_is_taken(version: str) -> None:
    assert check_sqlite(version) is None


async def test_a_second_server_is_refused_and_told_who_holds_the_lock(data_dir: Path) -> None:
    async with open_store(data_dir) as store:
        assert f"pid {os.getpid()}" in await refusal(data_dir)
        await Scribe(store).write("s", opened())
    async with open_store(data_dir) as store:
        assert store.epoch == 2


FUTURE_EVENT = (
    "INSERT INTO events (stream, seq, kind, version, epoch, at, body)"
    f" VALUES ('s', 99, 'Later', {EVENT_VERSION + 1}, 1, 1.0, '{{}}')"
)
REFUSED_FILES = {
    "a newer schema": (
        f"UPDATE meta SET value = {SCHEMA_VERSION + 1} WHERE name = 'schema_version'",
        "newer Placet",
    ),
    "a newer event": (FUTURE_EVENT, "newer Placet"),
    "another program's database": ("PRAGMA application_id = 7", "another program"),
}


@pytest.mark.parametrize(("sql", "message"), REFUSED_FILES.values(), ids=REFUSED_FILES.keys())
async def test_a_file_that_is_not_for_us_is_refused_untouched(used: Path, sql: str, message: str) -> None:
    alter(used, sql)
    before = content(used)
    assert message in await refusal(used.parent)
    assert content(used) == before


def replace(path: Path, new: bytes) -> None:
    path.write_bytes(new)


def cut_in_half(old: bytes) -> bytes:
    return old[: len(old) // 2]


def scribble(old: bytes) -> bytes:
    return old[:8192] + b"\xff" * 40_000 + old[48_192:]


def text(old: bytes) -> bytes:
    return b"these are my notes, not a database\n" * (len(old) // 35)


@pytest.mark.parametrize("damage", [cut_in_half, scribble, text])
async def test_a_damaged_file_is_refused_untouched(used: Path, damage: Callable[[bytes], bytes]) -> None:
    before = damage(content(used))
    replace(used, before)
    message = await refusal(used.parent)
    assert "backup" in message or "--data-dir" in message
    assert content(used) == before


async def test_a_directory_that_cannot_be_made_is_refused(used: Path) -> None:
    assert "cannot be made" in await refusal(used / "data")


async def test_a_directory_that_cannot_be_written_is_refused() -> None:
    message = await refusal(Path("/proc"))
    assert "not writable" in message or "cannot be opened" in message


async def test_a_migration_happens_whole_or_not_at_all(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE half (x); no sql;"))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    assert "cannot be opened" in await refusal(used.parent)
    monkeypatch.undo()
    async with open_store(used.parent) as store:
        assert store.epoch == 2
    assert examine(used.parent).schema_version == SCHEMA_VERSION
    conn = apsw.Connection(str(used))
    assert conn.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchone() is None
    conn.close()


async def test_a_migration_leads_from_the_version_before(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (x)"))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    async with open_store(used.parent) as store:
        assert await store.admission("a") is not None
    monkeypatch.undo()
    assert "newer Placet" in await refusal(used.parent)


async def test_opening_can_be_cancelled_and_leaves_no_lock(data_dir: Path) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with open_store(data_dir):
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    async with open_store(data_dir) as store:
        assert store.health.ready


async def test_examining_tells_the_state_and_changes_nothing(used: Path) -> None:
    before = content(used)
    found = await look(used)
    assert (found.schema_version, found.epoch, found.problems, found.broken_link) == (
        SCHEMA_VERSION,
        1,
        (),
        None,
    )
    assert (found.counts["sessions"], found.counts["decisions"], found.unsettled, found.open_approvals) == (
        1,
        1,
        1,
        1,
    )
    assert content(used) == before


async def test_examining_a_broken_chain_says_where(used: Path) -> None:
    alter(used, "DROP TRIGGER decisions_are_kept; DELETE FROM decisions")
    broken = (await look(used)).broken_link
    assert broken is not None
    assert broken.number == 1


async def test_examining_a_newer_file_says_so(used: Path) -> None:
    alter(used, f"UPDATE meta SET value = {SCHEMA_VERSION + 1} WHERE name = 'schema_version'")
    found = await look(used)
    assert (found.schema_version, found.known_schema_version, found.counts) == (
        SCHEMA_VERSION + 1,
        SCHEMA_VERSION,
        {},
    )


async def test_examining_works_beside_a_running_server(disk: Store, tmp_path: Path) -> None:
    await Scribe(disk).write("s", opened())
    assert examine(tmp_path / "data").counts["sessions"] == 1
    await Scribe(disk).write("t", opened())


def test_examining_nothing_or_nonsense(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        examine(tmp_path)
    (tmp_path / "placet.db").write_bytes(b"notes" * 1000)
    with pytest.raises(StartRefused):
        examine(tmp_path)
