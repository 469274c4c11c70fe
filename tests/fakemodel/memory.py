"""The scripted model without a network: its client's bytes go through memory, so that the clock of a test may jump."""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2
import trio
import trio.testing
from httpcore2._backends.trio import TrioStream

from tests.fakemodel.server import FakeModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Never used; to read the machine's certificates for each client would take longer than the test."""


class _Stream(TrioStream):
    """One that nobody asks for its socket."""

    def get_extra_info(self, info: str) -> Any:
        return None


class _Memory(httpcore2.AsyncNetworkBackend):
    """Connects to the model by a pair of memory streams, as often as it is not told to refuse."""

    def __init__(self, model: FakeModel, nursery: trio.Nursery) -> None:
        self.refusals = 0
        self._model = model
        self._nursery = nursery

    async def connect_tcp(self, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
        await trio.lowlevel.checkpoint()
        if self.refusals:
            self.refusals -= 1
            raise httpcore2.ConnectError("refused")
        client, server = trio.testing.memory_stream_pair()
        self._nursery.start_soon(self._model.serve_stream, server)
        return _Stream(client)


@asynccontextmanager
async def in_memory(
    model: FakeModel, *, refusals: int = 0, silence_s: float = 300.0
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client whose every connection leads to the model, whatever the address.

    Args:
        model: the model.
        refusals: how many connections are refused first.
        silence_s: how long the client waits for a piece.
    """
    async with trio.open_nursery() as nursery:
        memory = _Memory(model, nursery)
        memory.refusals = refusals
        transport = httpx2.AsyncHTTPTransport(verify=_NO_TLS)
        transport._pool = httpcore2.AsyncConnectionPool(network_backend=memory)
        async with httpx2.AsyncClient(transport=transport, timeout=silence_s) as client:
            yield client
        nursery.cancel_scope.cancel()
