"""The store as the rest of Placet sees it: one way to write, beside the reads of `reading.py`."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import apsw
import msgspec
import trio

from placet.actors.protocol.limits import Limits
from placet.actors.store import opening, retention, watermarks
from placet.actors.store.append import Writing, append, prepare
from placet.actors.store.group import Group
from placet.actors.store.lock import DirectoryLock
from placet.actors.store.readers import READERS, InlineReaders, Readers, Reads
from placet.actors.store.reading import Reading
from placet.actors.store.retention import TidyReport
from placet.actors.store.writer import InlineWriter, Writer, Writes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from placet.actors.protocol.events import Recorded
    from placet.actors.store.batch import Batch
    from placet.actors.store.sql import Connection


CLOSE_S = 10.0
"""How long the end waits for the writer's thread: twice the busy time-out. A thread that needs longer is stuck in the
disk, and the process may end without it, as nothing that it still holds was promised to anyone."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How the store fares.

    Attributes:
        ready: whether the last write went well; a failed one turns it off, the next good one on again.
        error: why the last write failed, `None` if it did not.
        commit_s: how long the last good commit took, in seconds.
        waiting: writes that no commit has taken yet.
        log_bytes: size of the write-ahead log.
        epoch: ours.
    """

    ready: bool
    error: str | None
    commit_s: float
    waiting: int
    log_bytes: int
    epoch: int


class Store(Reading):
    """The durable state. Made by `open_store`, or by `Store.inline` in tests.

    Every method that writes is always a checkpoint; cancelled before the writer has the work, nothing is written, and after that it
    cannot be cancelled. Every method that reads is always a checkpoint and leaves nothing behind. Each raises `StoreUnavailable`
    if the disk refuses.

    Attributes:
        digest_key: 32 bytes of this data directory, made once; what digests are keyed with.
        epoch: which taking of the database this is, 1 for the first.
        instance_id: of this taking, 32 hex digits.
    """

    def __init__(
        self, owned: opening.Owned, writer: Writes, readers: Reads, limits: Limits, log: Path | None
    ) -> None:
        super().__init__(readers)
        self.digest_key = owned.digest_key
        self.epoch = owned.epoch
        self.instance_id = owned.instance_id
        self._writer = writer
        self._limits = limits
        self._log = log
        self._writing = Writing(owned.epoch, limits)

    @classmethod
    def inline(cls, limits: Limits | None = None) -> Store:
        """A store in memory without a thread, for tests on a clock that jumps: the same closures on `:memory:`."""
        owned = opening.take_memory()
        group = Group(owned.conn, owned.epoch)
        return cls(owned, InlineWriter(group), InlineReaders(owned.conn), limits or Limits(), None)

    @property
    def health(self) -> Health:
        """How the store fares now. Never waits."""
        group = self._writer.group
        return Health(
            ready=group.error is None,
            error=group.error,
            commit_s=group.commit_s,
            waiting=self._writer.waiting,
            log_bytes=self._log.stat().st_size if self._log is not None and self._log.exists() else 0,
            epoch=self.epoch,
        )

    async def append(self, batch: Batch) -> tuple[Recorded, ...]:
        """Record a batch of events and what they change, or nothing of it.

        Returns:
            All its events in order, with their numbers.

        Raises:
            PreconditionFailed: `stale_stream`, `stale_epoch`, or what `batch.requires` names.
            TooLarge: an event is.
            InvalidInput: an event has no JSON form.
            CorruptTransition: an event does not fit what is stored.
        """
        prepared = prepare(batch, self._limits)
        return await self._writer.run(
            partial(append, prepared=prepared, writing=self._writing), relaxed=batch.relaxed
        )

    async def delete_session(self, session_id: str, *, now: float) -> bool:
        """Delete a session and all that was its own; decisions stay, its session rules are revoked.

        Returns:
            Whether there was one.

        Raises:
            Conflict: `session_active_turn`, as something of it is not settled.
        """
        return await self._writer.run(
            partial(retention.delete_session, writing=self._writing, now=now, session_id=session_id)
        )

    async def tidy(self, *, now: float, limits: Limits) -> TidyReport:
        """Throw away what is past its time, in small writes between which others get their turn.

        Cancelled in between, what was done stays done and the next tidying goes on.
        """
        sessions_before, merge_before = now - limits.ephemeral_after_s, now - limits.merge_after_s
        return TidyReport(
            keys=await self._repeat(partial(retention.drop_keys, now=now), retention.KEYS_CHUNK),
            sessions=await self._repeat(
                partial(retention.drop_sessions, writing=self._writing, now=now, before=sessions_before),
                retention.CHUNK,
            ),
            merged=await self._repeat(partial(retention.merge_deltas, before=merge_before), retention.CHUNK),
            blobs=await self._repeat(retention.drop_blobs, retention.CHUNK),
        )

    async def take_watermarks(self, names: tuple[str, ...]) -> dict[str, int]:
        """How far each of these readers outside has been told of the log. A new one begins at its end; all others are forgotten."""
        return await self._writer.run(partial(watermarks.take, names=names))

    async def keep_watermark(self, name: str, position: int) -> None:
        """A reader outside needs nothing up to and with this position any more. A power cut may take that, and it is told again."""
        await self._writer.run(partial(watermarks.keep, name=name, position=position), relaxed=True)

    async def probe(self) -> None:
        """Write something small: how a store that failed learns that it is well again, while nothing else is let in to write."""
        await self._writer.run(_probe)

    async def _repeat(self, work: Callable[[Connection], int], chunk: int) -> int:
        total = count = await self._writer.run(work)
        while count == chunk:
            count = await self._writer.run(work)
            total += count
        return total

    async def close(self) -> None:
        """End the store: finish what waits, checkpoint, close. `open_store` calls it; nothing may use the store after it."""
        self._readers.close()
        await self._writer.close()


def _probe(conn: Connection) -> None:
    conn.execute("INSERT INTO meta VALUES ('probes', 1) ON CONFLICT DO UPDATE SET value = value + 1")


@asynccontextmanager
async def open_store(data_dir: Path, limits: Limits | None = None) -> AsyncGenerator[Store, None]:
    """Take a data directory: lock it, check it, bring it up to date, raise its epoch; on leaving finish, checkpoint and unlock.

    The store outlives whatever runs inside the block, also when that is cancelled. Always a checkpoint. Cancelled while it opens,
    the directory is left unlocked; the file may have a new epoch, which harms nobody.

    Args:
        data_dir: made for its owner alone if it does not exist.
        limits: the bounds in force, by default those of `Limits`.

    Raises:
        StartRefused: it must not start here. The message says what to do; the file was not touched.
    """
    opening.check_sqlite(apsw.sqlite_lib_version())
    opening.make_directory(data_dir)
    lock = DirectoryLock(data_dir)
    try:
        path = data_dir / opening.DATABASE
        owned = await trio.to_thread.run_sync(_check_and_take, path, limiter=trio.CapacityLimiter(1))
        writer = Writer(Group(owned.conn, owned.epoch))
        store = Store(
            owned, writer, Readers(owned.readers), limits or Limits(), path.with_name(f"{path.name}-wal")
        )
        try:
            yield store
        finally:
            with trio.move_on_after(CLOSE_S, shield=True):
                await store.close()
    finally:
        lock.release()


def _check_and_take(path: Path) -> opening.Owned:
    opening.check_file(path)
    return opening.take(path, readers=READERS)
