"""The writer: one thread, one connection, one commit for all who wait.

Theory of operation
===================

A commit costs a flush to the disk, whatever is in it; so all that waits goes into one.

1. A *job* is a closure over the connection. `Writer.run` queues it and parks the task until it is answered. Once queued it cannot
   be cancelled (`Abort.FAILED`): the thread will run it whatever happens to the task, and "was it stored?" must have an answer.
   Cancellation that was already due is delivered before the job is queued, and then nothing is written.
2. The thread takes every job that waits, at most `GROUP_MAX`, as one *group*: `BEGIN IMMEDIATE`, the epoch fence, jobs, `COMMIT`.
   If one raises, all is rolled back, and the group runs once more with a savepoint around each job: who fails then is rolled back
   alone, and the others do not notice. So a job may run twice, the first time in vain, and must touch nothing but the connection.
3. Then all tasks of the group are woken by one call into the loop. No job is answered before the commit has returned.
4. There is no timer. While one group commits the next one forms: a slow disk makes larger groups, an idle one groups of one.
5. A group of relaxed jobs alone (text deltas) commits with `synchronous=NORMAL`: written, but not flushed. It survives the death
   of the process; a power cut may take it. Any other group commits with FULL, which flushes what was written before it, too.
6. What the disk or another process does (full, I/O error, locked for 5 s) fails the group as a whole with `StoreUnavailable`:
   rolled back, nothing applied, each waiter told. The connection is used again for the next group. A commit whose very flush
   failed may still be found after a power cut; an exact retry then finds its key.
7. The *epoch fence*: whoever opens the database raises its epoch. A process that finds another's epoch inside its transaction
   fails every job with `stale_epoch`, for ever.
8. Only this connection checkpoints: SQLite does so by itself, inside the commit that lets the log pass `CHECKPOINT_PAGES`. Readers
   hold no snapshot across an await, so a checkpoint always gets to the log's end and the log stays small.
9. The thread belongs to no nursery. It outlives its users because `open_store` encloses them, and it is joined when that ends.

What may be awaited where: nothing here awaits but `run` and `close`. The thread never touches trio but by `run_sync_soon`.

Rejected: a transaction per call in `to_thread` (a tenth of the throughput, and cancellation leaves doubt); APSW's own async (no
group commit, a cancelled call is not an undone one); a delay that waits for more jobs (latency for nothing, see 4); a savepoint
around every job from the first (SQLite copies each page aside before a savepoint's first change to it: a third of a job's cost).
"""

from __future__ import annotations

import contextlib
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import trio

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.store.group import Group, Job

if TYPE_CHECKING:
    from collections.abc import Callable

    import outcome

    from placet.actors.store.sql import Connection

T = TypeVar("T")

GROUP_MAX = 512
"""Jobs in one commit. Past it the last of the group waits for longer than the flush that it saves."""


class Writes(Protocol):
    """What the store needs of a writer."""

    @property
    def group(self) -> Group:
        """The connection and how it fares."""
        ...

    @property
    def waiting(self) -> int:
        """Jobs that are not yet taken."""
        ...

    async def run(self, work: Callable[[Connection], T], *, relaxed: bool = False) -> T:
        """Run `work` in a write transaction."""
        ...

    async def close(self) -> None:
        """Finish what waits and close the connection."""
        ...


class Writer:
    """Group commit in a thread of its own. Made and used inside one trio run.

    Args:
        group: the connection; the writer closes it.
    """

    def __init__(self, group: Group) -> None:
        self.group: Final = group
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        self._closed = False
        # A daemon, so that a disk that never answers cannot hold the exit; `close` joins it all the same.
        self._thread = threading.Thread(target=self._serve, name="placet-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Jobs that are not yet taken."""
        return self._jobs.qsize()

    async def run(self, work: Callable[[Connection], T], *, relaxed: bool = False) -> T:
        """Run `work(connection)` in a write transaction and return what it returns, once that is durable.

        Always a checkpoint. Cancelled before the job is queued, nothing is written; after that it cannot be cancelled.

        Args:
            work: runs in the writer's thread, twice if another job of its group fails.
            relaxed: whether a power cut may take it.

        Raises:
            StoreUnavailable: nothing was recorded.
            PreconditionFailed: `stale_epoch`; and whatever `work` raises, which then has changed nothing.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        self._jobs.put(Job(work, relaxed, trio.lowlevel.current_task()))
        answer: T = await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.FAILED)
        return answer

    async def close(self) -> None:
        """Finish what waits, checkpoint, close the connection, join the thread.

        Always a checkpoint. Cancelled, the thread still does all this, and nobody waits for it. Closing twice does nothing.
        """
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
        await trio.to_thread.run_sync(
            self._thread.join, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
        )

    def _serve(self) -> None:
        while jobs := self._take():
            self.group.run(jobs)
            # The loop is gone only if it crashed, and then nobody waits.
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(_wake, jobs)
        self.group.close()

    def _take(self) -> list[Job]:
        """All that waits, at least one job; empty when the writer is to end."""
        jobs: list[Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX:
                return jobs
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return jobs
        if jobs:
            self._jobs.put(None)
        return jobs


def _wake(jobs: list[Job]) -> None:
    for job in jobs:
        trio.lowlevel.reschedule(job.task, job.answer)


class InlineWriter:
    """The same groups without a thread, for tests on a clock that jumps: each job is a group of its own.

    Args:
        group: the connection.
    """

    def __init__(self, group: Group) -> None:
        self.group: Final = group
        self._closed = False

    @property
    def waiting(self) -> int:
        """Always 0: a job is done when `run` returns."""
        return 0

    async def run(self, work: Callable[[Connection], T], *, relaxed: bool = False) -> T:
        """As `Writer.run`; cancellation is delivered before the job or not at all."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        job = Job(work, relaxed, trio.lowlevel.current_task())
        self.group.run([job])
        await trio.lowlevel.cancel_shielded_checkpoint()
        answer: outcome.Outcome[T] = job.answer
        return answer.unwrap()

    async def close(self) -> None:
        """Close the connection. Always a checkpoint."""
        if not self._closed:
            self._closed = True
            self.group.close()
        await trio.lowlevel.cancel_shielded_checkpoint()
