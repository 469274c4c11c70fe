"""A proxy between a client and its server whose connections can be cut."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.system.server import Server


class Proxy:
    """Passes bytes on. `cut` breaks every connection that there is; new ones are passed on again.

    Args:
        server: where to.

    Attributes:
        url: of the proxy.
        connections: how many it has passed on so far.
    """

    def __init__(self, server: Server) -> None:
        self.url = ""
        self.connections = 0
        self._server = server
        self._scopes: list[trio.CancelScope] = []

    def cut(self) -> None:
        """Break every connection."""
        for scope in self._scopes:
            scope.cancel()

    async def serve(self, client: trio.SocketStream) -> None:
        """Pass one connection on."""
        self.connections += 1
        with trio.CancelScope() as scope:
            self._scopes.append(scope)
            server = await trio.open_tcp_stream("127.0.0.1", self._server.port)
            async with client, server, trio.open_nursery() as nursery:
                nursery.start_soon(_pump, client, server)
                await _pump(server, client)
                nursery.cancel_scope.cancel()


async def _pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
    try:
        async for received in source:
            await sink.send_all(received)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return


@asynccontextmanager
async def proxied(server: Server) -> AsyncIterator[Proxy]:
    """A proxy to the server while the block runs."""
    proxy = Proxy(server)
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, proxy.serve, 0, host="127.0.0.1"))
        proxy.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        yield proxy
        nursery.cancel_scope.cancel()
