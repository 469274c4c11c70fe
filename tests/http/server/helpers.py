"""A `Connection` on one end of a socket pair and a rude client on the other, on a clock of our own."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio
from hypercorn.app_wrappers import ASGIWrapper

from placet.http.server import Connection, ConnectionLimits, make_config
from placet.http.server.stopping import AnnouncingContext

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass
class Recorder:
    """An ASGI application that answers 200 with `body`, and notes what it was told."""

    body: bytes = b"ok"
    read_body: bool = True
    answer: bool = True
    told: list[dict[str, Any]] = field(default_factory=list)
    ended: trio.Event = field(default_factory=trio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            while self.read_body:
                self.told.append(await receive())
                if not self.told[-1].get("more_body"):
                    break
            if self.answer and not self.disconnected:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": self.body})
            if self.read_body and not self.disconnected:
                self.told.append(await receive())
            if not self.read_body:
                await trio.sleep_forever()
        finally:
            self.ended.set()

    @property
    def disconnected(self) -> bool:
        return any(message["type"] == "http.disconnect" for message in self.told)


@dataclass
class Client:
    """The other end: the peer's stream, the shared context and the connection itself."""

    stream: trio.SocketStream
    context: AnnouncingContext
    connection: Connection
    closed: trio.Event

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def read(self) -> bytes:
        """All that comes until the server closes; a reset is an end like any other."""
        received = b""
        try:
            while data := await self.stream.receive_some(65536):
                received += data
        except trio.BrokenResourceError:
            pass
        return received


@asynccontextmanager
async def connect(
    app: Any,
    *,
    keep_alive_s: float = 60.0,
    limits: ConnectionLimits | None = None,
    kind: type[Connection] = Connection,
) -> AsyncIterator[Client]:
    """Serve one connection to `app` while the block runs; cancel it at the end."""
    ours, theirs = trio.socket.socketpair(socket.AF_UNIX)
    context = AnnouncingContext(None)
    config = make_config(keep_alive_s=keep_alive_s, limits=limits)
    connection = kind(ASGIWrapper(app), config, context, {}, trio.SocketStream(theirs))
    closed = trio.Event()

    async def serve(task_status: trio.TaskStatus[None]) -> None:
        task_status.started()
        await connection.run()
        closed.set()

    async with trio.open_nursery() as nursery, trio.SocketStream(ours) as stream:
        await nursery.start(serve)
        yield Client(stream, context, connection, closed)
        nursery.cancel_scope.cancel()
