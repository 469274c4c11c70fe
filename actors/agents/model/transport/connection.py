"""One HTTP/1.1 connection to a server: h11 for the protocol, a trio stream for the bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from typing import Final, cast

import h11
import trio

from placet.actors.agents.model.transport.address import UnsupportedAddress
from placet.actors.agents.model.transport.body import Body, Malformed, Open, body_of
from placet.actors.runtime import receive

PIECE_BYTES: Final = 64 * 1024
HEAD_BYTES: Final = 64 * 1024
"""The most that a response's head may hold."""

STEP_S: Final = 1.0
"""How exactly silence is measured."""

_ASKED: Final = h11.Request(method="POST", target="/", headers=[("Host", "model")])
"""What h11 takes for the request, to read the response: the real one is written without it."""


Headers = Sequence[tuple[str, str]]
MakeBody = Callable[[], bytes]
"""Makes a request's body each time that it is sent, so that none is kept while a model thinks: it holds a whole conversation."""


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
    """How long the server may be silent. One scope around a whole exchange, whose deadline is moved on by every piece.

    Moved at most once a second, as to move it costs as much as to take in a token. So the server may be silent up to a second less,
    and the time that the reader takes between two pieces counts.

    Args:
        silence_s: between two pieces.
    """

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self._moved_at = -inf
        self.scope: Final = trio.CancelScope()

    def begin(self) -> None:
        """It is the server's turn: to take the request, or to say something."""
        now = trio.current_time()
        if now > self._moved_at + STEP_S:
            self._moved_at = now
            self.scope.deadline = now + self._silence_s


class Connection:
    """One exchange after the other, over one stream.

    Args:
        stream: it belongs to the connection.

    Attributes:
        idle_since: when it was last used, on trio's clock.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._body: Body = Open()
        self._came: bytes = b""  # behind the head
        self._stays = False
        self._heard = False
        self.idle_since = 0.0

    @property
    def is_stale(self) -> bool:
        """Whether the server has closed it, or said something that nobody asked for."""
        bottom = self._stream
        while isinstance(bottom, trio.SSLStream):
            bottom = cast("trio.SSLStream[trio.abc.Stream]", bottom).transport_stream
        return isinstance(bottom, trio.SocketStream) and bottom.socket.is_readable()

    async def post(self, path: str, headers: Headers, body: MakeBody, patience: Patience) -> Response:
        """Send a request and wait for the head of its response. Always a checkpoint; cancelled or failed, the connection is closed.

        Args:
            path: what comes after the method; a whole URL for a proxy.
            headers: all of them, but for the body's length.
            body: makes all of it.
            patience: how long the server may be silent, from now to the end of the response.

        Raises:
            Lost: the server left, or sends no HTTP.
            UnsupportedAddress: the path or a header has characters that HTTP does not know.
        """
        self._heard = self._stays = False
        patience.begin()
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
        http.send(_ASKED)
        http.send(h11.EndOfMessage())
        try:
            await self._send(_head(path, tuple(headers)), body())
            head = await self._receive_head(http, patience)
        except BaseException:
            await self.aclose()
            raise
        self._body, self._came = body_of(head), http.trailing_data[0]
        self._stays = http.our_state is h11.DONE  # and not `MUST_CLOSE`
        return Response(self, head, patience)

    async def receive(self, patience: Patience) -> bytes:
        """All of the response's body that has come; empty at its end. A checkpoint if it waits. Cancelled, nothing is lost.

        Raises:
            Lost: it broke off inside the body.
        """
        while not self._body.done:
            data, self._came = self._came or await self._read(patience), b""
            if not data:
                return self._end()
            try:
                piece = self._body.feed(data)
            except Malformed as error:
                raise Lost(str(error)) from error
            if piece:
                return piece
        return b""

    def _end(self) -> bytes:
        """The server has closed: the end of a body that is open, and of no other."""
        if not isinstance(self._body, Open):
            raise Lost("it broke off inside the answer")
        return b""

    def begin_again(self) -> bool:
        """Make ready for the next request. Whether there may be one: the last was answered to its end, and both sides stay."""
        self.idle_since = trio.current_time()
        return self._stays and self._body.done and not self._body.rest

    async def aclose(self) -> None:
        """Close at once. Always a checkpoint; cancelled, it is closed all the same."""
        await trio.aclose_forcefully(self._stream)

    async def _send(self, head: bytes, body: bytes) -> None:
        try:
            await self._stream.send_all(b"%s%d\r\n\r\n%s" % (head, len(body), body))
        except trio.BrokenResourceError as error:
            raise Lost("it takes no request", unheard=True) from error

    async def _receive_head(self, http: h11.Connection, patience: Patience) -> h11.Response:
        try:
            while not isinstance(event := http.next_event(), h11.Response):
                if event is h11.NEED_DATA:
                    http.receive_data(await self._read(patience))
                elif not isinstance(event, h11.InformationalResponse):
                    raise Lost("it closed without an answer", unheard=not self._heard)
        except h11.RemoteProtocolError as error:
            raise Lost(str(error), unheard=not self._heard) from error
        return event

    async def _read(self, patience: Patience) -> bytes:
        patience.begin()
        try:
            if isinstance(self._stream, trio.SocketStream):
                data = await receive(self._stream.socket, PIECE_BYTES)
            else:
                data = bytes(await self._stream.receive_some(PIECE_BYTES))
        except (OSError, trio.BrokenResourceError) as error:
            raise Lost("it broke off", unheard=not self._heard) from error
        self._heard = self._heard or bool(data)
        return data


@lru_cache(maxsize=64)
def _head(path: str, headers: tuple[tuple[str, str], ...]) -> bytes:
    """A request's head up to the number that is its body's length. Checked and written once: it is the same for every turn."""
    http = h11.Connection(h11.CLIENT)
    try:
        request = h11.Request(method="POST", target=path, headers=[*headers, ("Content-Length", "0")])
    except (h11.LocalProtocolError, UnicodeEncodeError):
        words = "the path, or a header such as the key, cannot be sent"
        raise UnsupportedAddress(words) from None  # h11's own would show it
    return (http.send(request) or b"").removesuffix(b"0\r\n\r\n")


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
