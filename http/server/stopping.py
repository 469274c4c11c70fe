"""Lets the application know that the server begins to stop.

Hypercorn tells an application only when its last connection is gone; an application whose connections wait for people must know
when the first is to go.
"""

from __future__ import annotations

from contextvars import ContextVar

from hypercorn.trio.worker_context import WorkerContext

_serving: ContextVar[WorkerContext] = ContextVar("placet_serving")


class AnnouncingContext(WorkerContext):
    """Hypercorn's context of one server, made known to every task that this server starts."""

    def __init__(self, max_requests: int | None) -> None:
        super().__init__(max_requests)
        _serving.set(self)


async def wait_until_stopping() -> None:
    """Wait until the server that runs this task begins to stop. Only in a task that a hardened hypercorn started.

    Raises:
        LookupError: in any other task.
    """
    await _serving.get().terminated.wait()
