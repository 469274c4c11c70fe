"""One commit for many jobs: the transaction, who of them fails alone, and what a failing disk does to all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import apsw
import outcome

from placet.actors.protocol.errors import PlacetError, StoreUnavailable
from placet.actors.store.batch import PreconditionFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import trio

    from placet.actors.store.sql import Connection

RETRY_AFTER_S = 1.0
"""What a client is told to wait: long enough for a lock to be let go, too short for a person to notice."""

ENVIRONMENT_ERRORS = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.InterruptError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.NotADBError,
    apsw.PermissionsError,
    apsw.ProtocolError,
    apsw.ReadOnlyError,
)
"""What is wrong with the disk or another process, not with the job: SQLite may already have rolled the whole transaction back."""


class Job:
    """One closure that waits to be committed, and its task.

    Attributes:
        work: is given the connection, and changes nothing else: it may have to run twice.
        relaxed: whether a power cut may take it.
        task: who waits.
        answer: set before the task is woken.
    """

    __slots__ = ("answer", "relaxed", "task", "work")

    def __init__(self, work: Callable[[Connection], object], relaxed: bool, task: trio.lowlevel.Task) -> None:
        self.work = work
        self.relaxed = relaxed
        self.task = task
        self.answer: outcome.Outcome[Any] = outcome.Error(StoreUnavailable("The job was not run."))


class Group:
    """The writing connection. Used by one thread at a time.

    Args:
        conn: open for writing; `close` closes it.
        epoch: the one that this process took.

    Attributes:
        error: why the last group failed, `None` if it did not.
        commit_s: how long the last good commit took from its beginning to its end, in seconds.
    """

    def __init__(self, conn: Connection, epoch: int) -> None:
        self.conn: Final = conn
        self.epoch: Final = epoch
        self.error: str | None = None
        self.commit_s = 0.0
        self._synchronous = ""

    def run(self, jobs: Sequence[Job]) -> None:
        """Commit the jobs together and set each one's `answer`. Never raises."""
        started = time.perf_counter()
        match outcome.capture(self._transaction, jobs):
            case outcome.Error(error):
                outcome.capture(self._roll_back)
                self.error = str(error)
                for job in jobs:
                    job.answer = outcome.Error(_as_told(error))
            case _:
                self.error = None
                self.commit_s = time.perf_counter() - started

    def close(self) -> None:
        """Write the log back into the file and close. What fails here is done by the next start."""
        outcome.capture(self._roll_back)
        outcome.capture(self.conn.pragma, "wal_checkpoint", "TRUNCATE")
        self.conn.close()

    def _transaction(self, jobs: Sequence[Job]) -> None:
        self._roll_back()
        self._choose_synchronous("NORMAL" if all(job.relaxed for job in jobs) else "FULL")
        self._begin()
        if all(self._went_well(job) for job in jobs):
            self.conn.execute("COMMIT")
            return
        self._roll_back()
        if len(jobs) > 1:
            self._apart(jobs)

    def _apart(self, jobs: Sequence[Job]) -> None:
        """The same again, each job in a savepoint of its own."""
        self._begin()
        for job in jobs:
            self.conn.execute("SAVEPOINT job")
            if not self._went_well(job):
                self.conn.execute("ROLLBACK TO job")
            self.conn.execute("RELEASE job")
        self.conn.execute("COMMIT")

    def _begin(self) -> None:
        self.conn.execute("BEGIN IMMEDIATE")
        self._check_epoch()

    def _roll_back(self) -> None:
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")

    def _choose_synchronous(self, level: str) -> None:
        if level != self._synchronous:
            self.conn.pragma("synchronous", level)
            self._synchronous = level

    def _check_epoch(self) -> None:
        found: Any = self.conn.execute("SELECT value FROM meta WHERE name = 'epoch'").get
        if found != self.epoch:
            raise PreconditionFailed(
                f"Another process owns the database (epoch {found}, ours is {self.epoch}).",
                code="stale_epoch",
            )

    def _went_well(self, job: Job) -> bool:
        """Run a job and say whether it raised nothing. What is the disk's fault is not the job's, and raised again."""
        job.answer = outcome.capture(job.work, self.conn)
        if not isinstance(job.answer, outcome.Error):
            return True
        error = job.answer.error
        if isinstance(error, ENVIRONMENT_ERRORS) or not self.conn.in_transaction:
            raise error
        return False


def _as_told(error: BaseException) -> PlacetError:
    """A fresh exception for one waiter: a shared one would collect every waiter's traceback."""
    if isinstance(error, PreconditionFailed):
        told: PlacetError = PreconditionFailed(error.message, code=error.code)
    else:
        told = StoreUnavailable(
            "The database cannot be written now; nothing was recorded.", retry_after_s=RETRY_AFTER_S
        )
    told.__cause__ = error
    return told
