"""Putting a server under load from some connections at once."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running


@dataclass(frozen=True)
class Load:
    """What a load took.

    Attributes:
        operations: how many there were.
        wall_s: from the first to the end of the last.
        cpu_s: of the server.
        latencies_s: of each.
    """

    operations: int
    wall_s: float
    cpu_s: float
    latencies_s: list[float]

    @property
    def per_s(self) -> float:
        """Operations per second."""
        return self.operations / self.wall_s

    @property
    def cpu_us(self) -> float:
        """Processor time of one operation, in microseconds."""
        return self.cpu_s / self.operations * 1e6


async def load(
    server: Running,
    operation: Callable[[Connection, int], Awaitable[None]],
    *,
    connections: int,
    operations: int,
) -> Load:
    """Do operations one after the other on each connection, on all connections at once.

    Args:
        server: whom to.
        operation: is given a connection and the operation's number.
        connections: how many; they are open before the clock starts.
        operations: how many in all.
    """
    numbers = iter(range(operations))
    latencies_s: list[float] = []

    async def work(connection: Connection) -> None:
        for number in numbers:
            begun = trio.current_time()
            await operation(connection, number)
            latencies_s.append(trio.current_time() - begun)

    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(await server.connect()) for _ in range(connections)]
        cpu_s, begun = server.cpu_s, trio.current_time()
        async with trio.open_nursery() as nursery:
            for connection in opened:
                nursery.start_soon(work, connection)
        return Load(operations, trio.current_time() - begun, server.cpu_s - cpu_s, latencies_s)
