"""The connections that are kept between requests."""

from __future__ import annotations

from collections import defaultdict
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.agents.model.transport.connection import Connection, Lost, Patience, Silent
from placet.actors.agents.model.transport.dialing import dial
from placet.actors.agents.model.transport.proxies import Proxies

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from placet.actors.agents.model.transport.address import Address, Target
    from placet.actors.agents.model.transport.connection import Headers, MakeBody, Response

IDLE_MAX: Final = 64
"""Connections to one server that are kept while nothing is asked: a busy house's turns find one each, and few files stay open."""

IDLE_S: Final = 60.0
"""How long one is kept. Common servers keep theirs for 60 to 75 s; that one has closed its side is noticed before it is used."""

SILENCE_S: Final = 300.0
"""Between two pieces of an answer. Models that think in secret are silent for minutes."""


class Pool:
    """Connections to any number of servers; as many at once as are asked for. `aclose` ends it.

    Args:
        dial: makes a stream to an address, through a proxy if one is given.
        proxies: which proxy leads where; by default what the environment says.
        silence_s: how long a server may say nothing.
    """

    def __init__(
        self,
        dial: Callable[[Address, Target | None], Awaitable[trio.abc.Stream]] = dial,
        proxies: Proxies | None = None,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._dial = dial
        self._proxies = proxies or Proxies()
        self._silence_s = silence_s
        self._idle: defaultdict[Address, list[Connection]] = defaultdict(list)
        self._is_closed = False

    async def aclose(self) -> None:
        """Close what is kept; no more can be asked. What is under way is its user's. Cancelled, all is closed all the same."""
        self._is_closed = True
        idle = [connection for kept in self._idle.values() for connection in kept]
        self._idle.clear()
        await _close(idle)

    @asynccontextmanager
    async def post(self, target: Target, headers: Headers, body: MakeBody) -> AsyncGenerator[Response, None]:
        """Send a request; inside the block its response is read. One that was read to its end leaves a connection to be used again.

        Always a checkpoint. Cancelled, or left early, the connection is closed.

        Args:
            target: where to.
            headers: beside `Host` and the body's length.
            body: makes all of it.

        Raises:
            Unreachable: there is no way to the server.
            Lost: it left, or sends no HTTP; also out of the block.
            Silent: it said nothing for too long; also out of the block.
            UnsupportedAddress: the proxy for it is of a kind that is not spoken here, or a header is none.
            RuntimeError: the pool is closed.
        """
        if self._is_closed:
            raise RuntimeError("The pool is closed.")
        patience = Patience(self._silence_s)
        with patience.scope:
            connection, response = await self._ask(target, headers, body, patience)
            try:
                yield response
            finally:
                await self._release(target.address, connection)  # noqa: ASYNC102 - it closes at once
        if patience.scope.cancelled_caught:
            raise Silent(f"nothing came for {self._silence_s:g} s")

    async def _ask(
        self, target: Target, headers: Headers, body: MakeBody, patience: Patience
    ) -> tuple[Connection, Response]:
        proxy = self._proxies.of(target.address)
        path, headers = target.path, [("Host", target.host), *headers]
        if proxy is not None and not target.address.secure:
            path = f"http://{target.host}{path}"
            headers += [] if proxy.basic is None else [("Proxy-Authorization", proxy.basic)]
        while True:
            kept = await self._take(target.address)
            connection = kept or Connection(await self._dial(target.address, proxy))
            try:
                return connection, await connection.post(path, headers, body, patience)
            except Lost as lost:
                if kept is None or not lost.unheard:
                    raise
                # The server closed it in the very moment, and has not seen the request.

    async def _take(self, address: Address) -> Connection | None:
        """A connection that is kept and seems well. The youngest, so that those that are not needed grow old."""
        kept, stale = self._idle[address], list[Connection]()
        oldest = trio.current_time() - IDLE_S
        well = None
        while kept and well is None:
            connection = kept.pop()
            if connection.idle_since > oldest and not connection.is_stale:
                well = connection
            else:
                stale.append(connection)
        await _close(stale)
        return well

    async def _release(self, address: Address, connection: Connection) -> None:
        kept = self._idle[address]
        if not self._is_closed and len(kept) < IDLE_MAX and connection.begin_again():
            kept.append(connection)
        else:
            await connection.aclose()


async def _close(connections: list[Connection]) -> None:
    for connection in connections:
        await connection.aclose()
