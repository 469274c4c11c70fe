"""A full disk, a lock held outside, another owner, a killed process: nothing half done, and everyone is told."""

from __future__ import annotations

import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.protocol.errors import PlacetError, StoreUnavailable
from placet.actors.store import PreconditionFailed, Store, open_store
from tests.store.build import Gate, Scribe, accepted, opened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.thread

HOLDER = """
import sys, apsw
conn = apsw.Connection(sys.argv[1])
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
conn.execute("ROLLBACK")
"""


@asynccontextmanager
async def held_outside(path: Path) -> AsyncIterator[trio.Process]:
    """Another process holds the write lock inside the block."""
    async with trio.open_nursery() as nursery:
        process = await nursery.start(
            partial(
                trio.run_process,
                [sys.executable, "-c", HOLDER, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        assert process.stdout is not None
        assert (await process.stdout.receive_some()).startswith(b"held")
        yield process
        await process.stdin.aclose()


async def set_busy_timeout(store: Store, milliseconds: int) -> None:
    await store._writer.run(lambda conn: conn.set_busy_timeout(milliseconds))


@pytest.mark.slow
async def test_a_lock_held_outside_delays_writes_and_nothing_else(disk: Store, tmp_path: Path) -> None:
    await Scribe(disk).write("s", opened())
    done: list[str] = []

    async def admit(session_id: str) -> None:
        await Scribe(disk).write(session_id, opened(), accepted(f"a-{session_id}"))
        done.append(session_id)

    async with trio.open_nursery() as nursery:
        async with held_outside(tmp_path / "data" / "placet.db"):
            for number in range(50):
                nursery.start_soon(admit, f"s{number}")
            await wait_all_tasks_blocked(0.05)
            assert await disk.session("s") is not None
            assert done == []
    assert len(done) == 50
    assert len(await disk.unsettled()) == 50


@pytest.mark.slow
async def test_a_lock_held_for_too_long_refuses_and_records_nothing(disk: Store, tmp_path: Path) -> None:
    await set_busy_timeout(disk, 20)
    refused: list[StoreUnavailable] = []

    async def admit(session_id: str) -> None:
        with pytest.raises(StoreUnavailable) as caught:
            await Scribe(disk).write(session_id, opened())
        refused.append(caught.value)

    async with held_outside(tmp_path / "data" / "placet.db"):
        async with trio.open_nursery() as nursery:
            for number in range(10):
                nursery.start_soon(admit, f"s{number}")
        assert not disk.health.ready
        assert "locked" in str(disk.health.error)
    assert [error.retry_after_s for error in refused] == [1.0] * 10
    assert len(set(map(id, refused))) == 10
    assert await disk.session("s0") is None
    await disk.probe()
    assert disk.health.ready
    await Scribe(disk).write("s0", opened())


async def fill(store: Store) -> None:
    """Allow the database not one page more."""

    def limit(conn: Any) -> None:
        conn.pragma("max_page_count", conn.pragma("page_count"))

    await store._writer.run(limit)


async def make_room(store: Store) -> None:
    await store._writer.run(lambda conn: conn.pragma("max_page_count", 1_000_000))


async def test_a_full_disk_refuses_the_group_and_leaves_the_store_usable(disk: Store) -> None:
    scribe = Scribe(disk)
    await scribe.write("s", opened())
    await fill(disk)
    with pytest.raises(StoreUnavailable) as caught:
        await scribe.write("s", accepted("large", text="x" * 200_000))
    assert caught.value.code == "storage_unavailable"
    assert isinstance(caught.value.__cause__, apsw.FullError)
    assert not disk.health.ready
    assert await disk.admission("large") is None
    await make_room(disk)
    assert disk.health.ready
    await scribe.write("s", accepted("large", text="x" * 200_000))
    assert await disk.admission("large") is not None


async def test_who_shares_a_commit_with_a_full_disk_is_refused_too(disk: Store) -> None:
    await fill(disk)
    refused: list[str] = []

    async def admit(session_id: str, text: str) -> None:
        with pytest.raises(StoreUnavailable):
            await Scribe(disk).write(session_id, opened(), accepted(session_id, text=text))
        refused.append(session_id)

    async with held_outside_of_groups(disk), trio.open_nursery() as nursery:
        nursery.start_soon(admit, "small", "x")
        nursery.start_soon(admit, "large", "x" * 500_000)
    assert sorted(refused) == ["large", "small"]
    assert await disk.session("small") is None
    await make_room(disk)


@asynccontextmanager
async def held_outside_of_groups(store: Store) -> AsyncIterator[None]:
    """What is asked inside the block waits for one group: the writer's thread is held until all tasks wait."""
    gate = Gate()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store._writer.run, gate)
        await trio.to_thread.run_sync(gate.entered.wait)

        async def release() -> None:
            await wait_all_tasks_blocked(0.02)
            gate.release.set()

        nursery.start_soon(release)
        yield


async def test_another_owner_fences_this_one_out(disk: Store, tmp_path: Path) -> None:
    scribe = Scribe(disk)
    await scribe.write("s", opened())
    other = apsw.Connection(str(tmp_path / "data" / "placet.db"))
    other.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")
    other.close()
    for _ in range(2):
        with pytest.raises(PreconditionFailed) as caught:
            await scribe.write("s", accepted("a"))
        assert caught.value.code == "stale_epoch"
        assert not disk.health.ready
    assert await disk.admission("a") is None


LIMITED = """
import resource, sys, trio
from pathlib import Path
from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.store import open_store
from tests.store.build import Gate, Scribe, accepted, opened

async def main():
    async with open_store(Path(sys.argv[1])) as store:
        scribe = Scribe(store)
        await scribe.write("s", opened())
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (store.health.log_bytes + 400_000, hard))
        admitted = []
        try:
            for number in range(100):
                await scribe.write("s", accepted(f"a{number}", text="x" * 5_000))
                admitted.append(number)
        except StoreUnavailable as error:
            print(type(error.__cause__).__name__, store.health.ready, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await scribe.write("s", accepted("after"))
        rows = (await store.session("s")).admissions
        print([row.admission_id for row in rows] == [f"a{n}" for n in admitted] + ["after"], len(admitted) > 0, store.health.ready)

trio.run(main)
"""


@pytest.mark.slow
async def test_an_io_error_refuses_and_leaves_the_store_usable(tmp_path: Path) -> None:
    result = await trio.run_process(
        [sys.executable, "-c", LIMITED, str(tmp_path / "data")], capture_stdout=True, stdin=subprocess.DEVNULL
    )
    failure, outcome = result.stdout.decode().splitlines()
    assert failure in ("IOError False", "FullError False")
    assert outcome == "True True True"


APPENDING = """
import sys, trio
from pathlib import Path
from placet.actors.store import open_store
from tests.store.build import Gate, Scribe, accepted, opened

async def admit(store, worker):
    scribe = Scribe(store)
    await scribe.write(f"s{worker}", opened())
    for number in range(1_000_000):
        await scribe.write(f"s{worker}", accepted(f"a-{worker}-{number}"))
        print(f"a-{worker}-{number}", flush=True)

async def main():
    async with open_store(Path(sys.argv[1])) as store, trio.open_nursery() as nursery:
        for worker in range(8):
            nursery.start_soon(admit, store, worker)

trio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("acknowledged", [1, 100, 700])
async def test_what_was_acknowledged_survives_kill_9(tmp_path: Path, acknowledged: int) -> None:
    lines: list[bytes] = []
    async with trio.open_nursery() as nursery:
        process = await nursery.start(
            partial(
                trio.run_process,
                [sys.executable, "-c", APPENDING, str(tmp_path / "data")],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                check=False,
            )
        )
        output = b""
        async for chunk in process.stdout:
            output += chunk
            if output.count(b"\n") >= acknowledged:
                process.kill()
        lines = output.split(b"\n")[:-1]
    assert len(lines) >= acknowledged
    async with open_store(tmp_path / "data") as store:
        assert store.epoch == 2
        for line in lines:
            assert await store.admission(line.decode()) is not None


def test_every_error_of_the_store_is_one_of_ours() -> None:
    assert issubclass(PreconditionFailed, PlacetError)
    assert PreconditionFailed("x").code == "stale_stream"
