"""The readers: a few read-only connections, used from worker threads, each read one short snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

import outcome
import trio

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.store.group import ENVIRONMENT_ERRORS, RETRY_AFTER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from placet.actors.store.sql import Connection

P = ParamSpec("P")
T = TypeVar("T")

READERS = 4
"""Twice the cores of a small machine: a read is short, and while one waits for the disk another works."""


class Reads(Protocol):
    """What the store needs of its readers."""

    async def run(
        self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `query` on a connection."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class Readers:
    """Reads in threads, as many at once as there are connections.

    A limiter of their own: forty agents that wait in trio's shared one would starve every read.

    Args:
        connections: read-only ones; `close` closes them.
    """

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._idle = list(connections)
        self._closed = False
        self._limiter = trio.CapacityLimiter(len(self._idle))

    async def run(
        self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `query(connection, ...)` in one read transaction, which ends before this returns.

        Always a checkpoint. Cancelled before a thread has it, nothing is read; after that it cannot be cancelled.

        Raises:
            StoreUnavailable: the disk refused, or the store is closed.
        """
        if self._closed:
            raise StoreUnavailable("The store is closed.")

        def read() -> T:
            # The limiter lets no more threads in than there are connections, so one is always idle.
            conn = self._idle.pop()
            try:
                return in_snapshot(conn, query, *args, **kwargs)
            finally:
                self._idle.append(conn)

        return await trio.to_thread.run_sync(read, limiter=self._limiter)

    def close(self) -> None:
        """Close the connections. Nothing may be reading."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class InlineReaders:
    """Reads on the writer's own connection, without a thread.

    Args:
        conn: the writer closes it.
    """

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def run(
        self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As `Readers.run`."""
        await trio.lowlevel.checkpoint()
        return in_snapshot(self._conn, query, *args, **kwargs)

    def close(self) -> None:
        """Nothing to close."""


def in_snapshot(
    conn: Connection,
    query: Callable[Concatenate[Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run a query of several statements on one state of the database.

    Raises:
        StoreUnavailable: the disk refused.
    """
    try:
        conn.execute("BEGIN")
        result = outcome.capture(query, conn, *args, **kwargs)
        conn.execute("COMMIT" if isinstance(result, outcome.Value) else "ROLLBACK")
        return result.unwrap()
    except ENVIRONMENT_ERRORS as error:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise StoreUnavailable("The database cannot be read now.", retry_after_s=RETRY_AFTER_S) from error
