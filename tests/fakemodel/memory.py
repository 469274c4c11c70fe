"""The scripted model without a network: its client's bytes go through memory, so that the clock of a test may jump."""

from __future__ import annotations

from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
import trio.testing

from placet.actors.agents.model.transport import Pool, Unreachable
from placet.actors.agents.model.transport.proxies import Proxies

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakemodel.server import FakeModel


@asynccontextmanager
async def in_memory(model: FakeModel, *, refusals: int = 0, silence_s: float = 300.0) -> AsyncIterator[Pool]:
    """A pool whose every connection leads to the model, whatever the address.

    Args:
        model: the model.
        refusals: how many connections are refused first.
        silence_s: how long the client waits for a piece.
    """
    refused = 0

    async def dial(*_: Any) -> trio.abc.Stream:
        nonlocal refused
        await trio.lowlevel.checkpoint()
        if refused < refusals:
            refused += 1
            raise Unreachable("refused")
        client, server = trio.testing.memory_stream_pair()
        nursery.start_soon(model.serve_stream, server)
        return client

    async with trio.open_nursery() as nursery:
        async with aclosing(Pool(dial, Proxies({}), silence_s)) as pool:
            yield pool
        nursery.cancel_scope.cancel()
