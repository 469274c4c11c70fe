"""Lets the application know that the server begins to stop.

Hypercorn tells an application only when its last connection is gone; an application whose connections wait for people must know
when the first is to go.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from hypercorn.trio.worker_context import EventWrapper, WorkerContext

if TYPE_CHECKING:
    from collections.abc import Callable

_serving: ContextVar[WorkerContext] = ContextVar("placet_serving")


class Stop(EventWrapper):
    """The server's stop. Whoever has something to do then need not wait for it in a task."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: set[Callable[[], None]] = set()

    def add(self, call: Callable[[], None]) -> None:
        """Call it when the stop comes; at once if it has come. Synchronous, as the call must be."""
        self._calls.add(call)
        if self.is_set():
            call()

    def discard(self, call: Callable[[], None]) -> None:
        """Do not call it. Idempotent."""
        self._calls.discard(call)

    async def set(self) -> None:
        """The server stops. Not a checkpoint."""
        await super().set()
        for call in tuple(self._calls):
            call()


class AnnouncingContext(WorkerContext):
    """Hypercorn's context of one server, made known to every task that this server starts.

    Attributes:
        terminated: the server begins to stop.
    """

    terminated: Stop

    def __init__(self, max_requests: int | None) -> None:
        super().__init__(max_requests)
        self.terminated = Stop()
        _serving.set(self)


async def wait_until_stopping() -> None:
    """Wait until the server that runs this task begins to stop. Only in a task that a hardened hypercorn started.

    Raises:
        LookupError: in any other task.
    """
    await _serving.get().terminated.wait()
