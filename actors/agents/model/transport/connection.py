"""One HTTP/1.1 connection to a server: h11 for the protocol, a trio stream for the bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Final, cast

import h11
import trio

PIECE_BYTES: Final = 64 * 1024
HEAD_BYTES: Final = 64 * 1024
"""The most that a response's head may hold."""


Headers = Sequence[tuple[str, str]]
Body = Callable[[], bytes]
"""Makes a request's body each time that it is sent, so that none is kept while a model thinks: it holds a whole conversation."""

_Event = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]


class Lost(Exception):
    """The server left, or what it sends is no HTTP.

    Attributes:
        unheard: whether it left without a byte of an answer.
    """

    def __init__(self, message: str, *, unheard: bool = False) -> None:
        super().__init__(message)
        self.unheard = unheard


class Silent(Exception):
    """The server said nothing for too long."""


class Patience:
    """How long the server may be silent. One scope around a whole exchange; its clock runs only while bytes are waited for.

    Args:
        silence_s: between two pieces.
    """

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self.scope: Final = trio.CancelScope()

    def begin(self) -> None:
        """It is the server's turn."""
        self.scope.deadline = trio.current_time() + self._silence_s

    def end(self) -> None:
        """It has said something."""
        self.scope.deadline = inf


class Connection:
    """One exchange after the other, over one stream.

    Args:
        stream: it belongs to the connection.

    Attributes:
        idle_since: when it was last used, on trio's clock.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
        self._heard = False
        self.idle_since = 0.0

    @property
    def is_stale(self) -> bool:
        """Whether the server has closed it, or said something that nobody asked for."""
        bottom = self._stream
        while isinstance(bottom, trio.SSLStream):
            bottom = cast("trio.SSLStream[trio.abc.Stream]", bottom).transport_stream
        return isinstance(bottom, trio.SocketStream) and bottom.socket.is_readable()

    async def post(self, path: str, headers: Headers, body: Body, patience: Patience) -> Response:
        """Send a request and wait for the head of its response. Always a checkpoint; cancelled or failed, the connection is closed.

        Args:
            path: what comes after the method; a whole URL for a proxy.
            headers: all of them, but for the body's length.
            body: makes all of it.
            patience: how long the server may be silent, from now to the end of the response.

        Raises:
            Lost: the server left, or sends no HTTP.
        """
        try:
            await self._send(path, headers, body())
            while isinstance(event := await self._next(patience), h11.InformationalResponse):
                pass
            if not isinstance(event, h11.Response):
                raise Lost("it closed without an answer", unheard=not self._heard)
        except BaseException:
            await self.aclose()
            raise
        return Response(self, event, patience)

    async def receive(self, patience: Patience) -> bytes:
        """All of the response's body that has come; empty at its end. A checkpoint if it waits. Cancelled, nothing is lost.

        Raises:
            Lost: it broke off inside the body.
        """
        if self._http.their_state is not h11.SEND_BODY:
            return b""
        event = await self._next(patience)
        pieces: list[bytes] = []
        while isinstance(event, h11.Data):
            pieces.append(event.data)
            event = self._at_hand()
        return b"".join(pieces)

    def begin_again(self) -> bool:
        """Make ready for the next request. Whether there may be one: the last was answered to its end, and both sides stay."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self.idle_since = trio.current_time()
        return True

    async def aclose(self) -> None:
        """Close at once. Always a checkpoint; cancelled, it is closed all the same."""
        await trio.aclose_forcefully(self._stream)

    async def _send(self, path: str, headers: Headers, body: bytes) -> None:
        self._heard = False
        head = h11.Request(method="POST", target=path, headers=[*headers, ("Content-Length", str(len(body)))])
        data = [self._http.send(head), self._http.send(h11.Data(body)), self._http.send(h11.EndOfMessage())]
        try:
            await self._stream.send_all(b"".join(filter(None, data)))
        except trio.BrokenResourceError as error:
            raise Lost("it takes no request", unheard=True) from error

    async def _next(self, patience: Patience) -> _Event:
        while (event := self._at_hand()) is h11.NEED_DATA:
            self._http.receive_data(await self._read(patience))
        return event

    def _at_hand(self) -> _Event:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            raise Lost(str(error), unheard=not self._heard) from error

    async def _read(self, patience: Patience) -> bytes:
        patience.begin()
        try:
            data = bytes(await self._stream.receive_some(PIECE_BYTES))
        except trio.BrokenResourceError as error:
            raise Lost("it broke off", unheard=not self._heard) from error
        finally:
            patience.end()
        self._heard = self._heard or bool(data)
        return data


class Response:
    """A response whose head is here and whose body comes.

    Attributes:
        status: its code.
        headers: its headers, with names in lower case; of one that is there twice, the last.
    """

    def __init__(self, connection: Connection, head: h11.Response, patience: Patience) -> None:
        self._connection = connection
        self._patience = patience
        self.status: int = head.status_code
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}

    async def receive(self) -> bytes:
        """All of the body that has come; empty at its end. A checkpoint if it waits. Cancelled, nothing is lost.

        Raises:
            Lost: the connection broke off inside the body.
        """
        return await self._connection.receive(self._patience)
