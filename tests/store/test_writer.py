"""The writer: one commit for all who wait, each of them failing alone, and an answer for everyone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.store import Store, open_store
from placet.actors.store.connection import open_reader
from placet.actors.store.group import Group, Job
from placet.actors.store.opening import take
from placet.actors.store.writer import GROUP_MAX, Writer
from tests.store.build import Gate, Scribe, accepted, opened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.thread


class CountingGroup(Group):
    """A group that remembers how many jobs each commit had."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.sizes: list[int] = []

    def run(self, jobs: Sequence[Job]) -> None:
        self.sizes.append(len(jobs))
        super().run(jobs)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "placet.db"


@pytest.fixture
async def writer(path: Path) -> AsyncIterator[Writer]:
    owned = take(path)
    writer = Writer(CountingGroup(owned.conn, owned.epoch))
    yield writer
    await writer.close()


def put(name: str) -> Callable[[Any], str]:
    def work(conn: Any) -> str:
        conn.execute("INSERT INTO meta VALUES (?, 1)", (name,))
        return name

    return work


def names(path: Path) -> set[str]:
    conn = open_reader(path)
    try:
        return {name for (name,) in conn.execute("SELECT name FROM meta") if name.startswith("test-")}
    finally:
        conn.close()


def file_names(directory: Path) -> set[str]:
    return {item.name for item in directory.iterdir()}


async def hold(writer: Writer, nursery: trio.Nursery) -> Gate:
    gate = Gate()
    nursery.start_soon(writer.run, gate)
    await trio.to_thread.run_sync(gate.entered.wait)
    return gate


async def test_what_waits_is_committed_together(writer: Writer, path: Path) -> None:
    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        for number in range(20):
            nursery.start_soon(writer.run, put(f"test-{number}"))
        await wait_all_tasks_blocked()
        assert writer.waiting == 20
        gate.release.set()
    assert isinstance(writer.group, CountingGroup)
    assert writer.group.sizes == [1, 20]
    assert len(names(path)) == 20


async def test_a_group_has_a_largest_size(writer: Writer) -> None:
    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        for number in range(GROUP_MAX + 7):
            nursery.start_soon(writer.run, put(f"test-{number}"))
        await wait_all_tasks_blocked()
        gate.release.set()
    assert isinstance(writer.group, CountingGroup)
    assert writer.group.sizes == [1, GROUP_MAX, 7]


async def test_one_that_fails_fails_alone(writer: Writer, path: Path) -> None:
    answers: dict[str, str] = {}

    def fail_after_writing(conn: Any) -> None:
        conn.execute("INSERT INTO meta VALUES ('test-undone', 1)")
        raise LookupError("mine alone")

    async def ask(name: str) -> None:
        answers[name] = await writer.run(put(name))

    async def ask_in_vain() -> None:
        with pytest.raises(LookupError, match="mine alone"):
            await writer.run(fail_after_writing)

    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        nursery.start_soon(ask, "test-before")
        nursery.start_soon(ask_in_vain)
        nursery.start_soon(ask, "test-after")
        await wait_all_tasks_blocked()
        gate.release.set()
    assert set(answers) == names(path) == {"test-before", "test-after"}
    assert writer.group.error is None


async def test_one_that_fails_with_nobody_beside_it_leaves_nothing(writer: Writer, path: Path) -> None:
    runs: list[str] = []

    def fail_after_writing(conn: Any) -> None:
        conn.execute("INSERT INTO meta VALUES ('test-undone', 1)")
        runs.append("once")
        raise LookupError("mine alone")

    with pytest.raises(LookupError, match="mine alone"):
        await writer.run(fail_after_writing)
    assert not writer.group.conn.in_transaction
    await writer.run(put("test-after"))
    assert (runs, names(path)) == (["once"], {"test-after"})


async def test_several_that_fail_each_hear_of_their_own(writer: Writer, path: Path) -> None:
    heard: list[str] = []

    async def ask_in_vain(name: str) -> None:
        def fail(conn: Any) -> None:
            put(f"test-{name}")(conn)
            raise LookupError(name)

        with pytest.raises(LookupError) as caught:
            await writer.run(fail)
        heard.append(f"{name}: {caught.value}")

    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        for name in ("one", "two"):
            nursery.start_soon(ask_in_vain, name)
            nursery.start_soon(writer.run, put(f"test-beside-{name}"))
        await wait_all_tasks_blocked()
        gate.release.set()
    assert sorted(heard) == ["one: one", "two: two"]
    assert names(path) == {"test-beside-one", "test-beside-two"}


async def test_an_answer_comes_after_the_commit(writer: Writer, path: Path) -> None:
    for number in range(20):
        await writer.run(put(f"test-{number}"))
        assert f"test-{number}" in names(path)


async def test_cancelled_before_it_is_queued_nothing_is_written(writer: Writer, path: Path) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await writer.run(put("test-never"))
    assert scope.cancelled_caught
    await writer.run(put("test-later"))
    assert names(path) == {"test-later"}


async def test_once_queued_it_cannot_be_cancelled_and_says_how_it_went(writer: Writer, path: Path) -> None:
    answers: list[str] = []

    async def ask(scope: trio.CancelScope) -> None:
        with scope:
            answers.append(await writer.run(put("test-a")))

    scope = trio.CancelScope()
    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        nursery.start_soon(ask, scope)
        await wait_all_tasks_blocked()
        scope.cancel()
        await wait_all_tasks_blocked()
        assert answers == []
        gate.release.set()
    assert answers == ["test-a"]
    assert names(path) == {"test-a"}


async def test_only_a_wholly_relaxed_group_skips_the_flush(writer: Writer) -> None:
    levels: list[int] = []

    def note(conn: Any) -> None:
        levels.append(conn.pragma("synchronous"))

    full, normal = 2, 1
    await writer.run(note)
    await writer.run(note, relaxed=True)
    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        nursery.start_soon(lambda: writer.run(note, relaxed=True))
        nursery.start_soon(writer.run, note)
        await wait_all_tasks_blocked()
        gate.release.set()
    assert levels == [full, normal, full, full]


async def test_closing_finishes_what_waits(writer: Writer, path: Path) -> None:
    async with trio.open_nursery() as nursery:
        gate = await hold(writer, nursery)
        nursery.start_soon(writer.run, put("test-a"))
        await wait_all_tasks_blocked()
        nursery.start_soon(writer.close)
        await wait_all_tasks_blocked()
        with pytest.raises(StoreUnavailable):
            await writer.run(put("test-too-late"))
        gate.release.set()
    assert names(path) == {"test-a"}
    await writer.close()


@pytest.mark.parametrize("cancelled", [False, True])
async def test_the_thread_ends_with_the_store_however_that_ends(tmp_path: Path, cancelled: bool) -> None:
    with trio.CancelScope() as scope:
        with pytest.raises(ZeroDivisionError) if not cancelled else trio.CancelScope():
            async with open_store(tmp_path / "data") as store:
                await Scribe(store).write("s", opened())
                if not cancelled:
                    raise ZeroDivisionError
                scope.cancel()
                await trio.lowlevel.checkpoint()
    assert not [thread for thread in threading.enumerate() if thread.name == "placet-writer"]
    assert file_names(tmp_path / "data") == {"lock", "placet.db"}
    async with open_store(tmp_path / "data") as store:
        assert await store.session("s") is not None


async def test_reads_and_writes_do_not_wait_for_other_threads(disk: Store) -> None:
    limiter = trio.to_thread.current_default_thread_limiter()
    tokens, limiter.total_tokens = limiter.total_tokens, 1
    release = threading.Event()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, release.wait)
            await wait_all_tasks_blocked()
            assert limiter.available_tokens == 0
            with trio.fail_after(5):
                await Scribe(disk).write("s", opened(), accepted("a"))
                assert await disk.admission("a") is not None
            release.set()
    finally:
        release.set()
        limiter.total_tokens = tokens


async def test_a_closed_store_refuses(tmp_path: Path) -> None:
    async with open_store(tmp_path / "data") as store:
        pass
    with pytest.raises(StoreUnavailable):
        await store.session("s")
    with pytest.raises(StoreUnavailable):
        await Scribe(store).write("s", opened())


async def test_many_read_at_once(disk: Store) -> None:
    await Scribe(disk).write("s", opened(), accepted("a"))
    found: list[object] = []

    async def read() -> None:
        found.append(await disk.admission("a"))

    async with trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(read)
    assert len(found) == 100
    assert None not in found


@pytest.mark.slow
async def test_the_log_stays_small_under_writes_and_reads(disk: Store) -> None:
    scribe = Scribe(disk)
    await scribe.write("s", opened())
    largest = 0
    for number in range(300):
        await scribe.write("s", accepted(f"a{number}", text="x" * 20_000))
        await disk.events("s", after=number, limit=3)
        largest = max(largest, disk.health.log_bytes)
    assert 0 < largest < 8 * 1024 * 1024
