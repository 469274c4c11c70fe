"""A service that outlives its users, such as the store.

A cancelled nursery hits all its tasks at the same instant. If the store were one of them, no session could write "interrupted"
any more, for the writer would be dying too. So the service runs under a shield that is lifted when its users have gone.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Service(Protocol[T_co]):
    """An async function that starts, reports `task_status.started(handle)`, and serves until it is cancelled."""

    async def __call__(self, *, task_status: trio.TaskStatus[T_co]) -> object:
        """Serve."""
        ...


@asynccontextmanager
async def open_service(service: Service[T], *, name: str | None = None) -> AsyncGenerator[T]:
    """Run `service` for as long as the body of the `async with` runs, whatever cancels the body.

    Args:
        service: see `Service`. Until it has started, cancellation reaches it; from then on, only the end of the body
            does. Being cancelled is its signal to finish; what it must still write then needs a shield of its own, with
            a deadline.
        name: what the task tree shows.

    Yields:
        The handle that the service started with.

    Raises:
        BaseExceptionGroup: what the body or the service raised. A service that fails, or returns while it has users,
            cancels the body.
    """
    shield = trio.CancelScope()

    async def serve(*, task_status: trio.TaskStatus[T]) -> None:  # noqa: ASYNC128 - the service calls it
        with shield:
            await service(task_status=task_status)
        if not shield.cancel_called:
            raise RuntimeError(f"the service {name or service!r} ended before its users")

    async with trio.open_nursery() as nursery:
        handle = cast("T", await nursery.start(serve, name=name or service))
        shield.shield = True
        try:
            yield handle
        finally:
            shield.cancel()
