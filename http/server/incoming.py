"""What comes from the client for one run of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import trio
from hypercorn.trio.task_group import TaskGroup, _handle  # pyright: ignore[reportPrivateUsage]

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hypercorn.config import Config
    from hypercorn.typing import AppWrapper, ASGIReceiveEvent, ASGISendEvent, Scope

EXTENSION: Final = "placet.incoming"
"""Under this name of the scope's extensions an application finds its `Incoming`."""


class Incoming:
    """The messages of one request, in order, a bounded number at a time; the last of them is the disconnect.

    An application need not wait for that one in a task of its own. It can say with `on_disconnect` what shall happen then.

    Args:
        room: how many messages wait at most; the disconnect always finds room.

    Attributes:
        on_disconnect: called once, synchronously, when the client is gone or the response complete.
    """

    def __init__(self, room: int) -> None:
        self.on_disconnect: Callable[[], None] | None = None
        self._messages: list[ASGIReceiveEvent] = []  # no deque: even an empty one takes 760 bytes
        self._room = room
        self._over = False
        self._changed = trio.lowlevel.ParkingLot()

    async def put(self, message: ASGIReceiveEvent) -> None:
        """Add a message; dropped after the disconnect. A checkpoint only if there is no room; cancelled there, it is not added."""
        if message["type"] == "http.disconnect":
            self._end(message)
            return
        while len(self._messages) >= self._room and not self._over:
            await self._changed.park()
        if not self._over:
            self._messages.append(message)
            self._changed.unpark_all()

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; after the disconnect that one again. A checkpoint only if it waits; cancelled, nothing is lost."""
        while not self._messages:
            await self._changed.park()
        if self._over and len(self._messages) == 1:
            return self._messages[0]
        self._changed.unpark_all()
        return self._messages.pop(0)

    def _end(self, message: ASGIReceiveEvent) -> None:
        if self._over:
            return
        self._over = True
        self._messages.append(message)
        if self.on_disconnect is not None:
            self.on_disconnect()
        self._changed.unpark_all()


class Tasks(TaskGroup):
    """Hypercorn's task group, with `Incoming` for HTTP instead of a channel: a message costs no turn of the scheduler."""

    async def spawn_app(
        self,
        app: AppWrapper,
        config: Config,
        scope: Scope,
        send: Callable[[ASGISendEvent | None], Awaitable[None]],
    ) -> Callable[[ASGIReceiveEvent], Awaitable[None]]:
        """Start the application for one scope.

        Returns:
            What to call with each message for it.
        """
        if scope["type"] != "http" or self._nursery is None:
            return await super().spawn_app(app, config, scope, send)
        incoming = Incoming(config.max_app_queue_size)
        cast("dict[str, Any]", scope["extensions"])[EXTENSION] = incoming
        self._nursery.start_soon(
            _handle, app, config, scope, incoming.receive, send, trio.to_thread.run_sync, trio.from_thread.run
        )
        return incoming.put

    def end_within(self, patience_s: float) -> None:
        """Cancel what then still runs."""
        if self._nursery is not None:
            self._nursery.cancel_scope.deadline = trio.current_time() + patience_s
