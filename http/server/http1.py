"""Hypercorn's HTTP/1.1 protocol, with the questions that a patient reader has to ask it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

import h11
import trio
from hypercorn.events import Closed, RawData, Updated
from hypercorn.protocol.events import Request, StreamClosed
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol, H11WSConnection
from hypercorn.protocol.http_stream import HTTPStream
from hypercorn.protocol.ws_stream import WSStream

from placet.http.server.limits import limits_of
from placet.http.server.stream import Stream

if TYPE_CHECKING:
    from hypercorn.protocol.events import Event as StreamEvent
    from hypercorn.typing import H11SendableEvent


class Phase(Enum):
    """Whose turn it is on a connection. Each phase has its own patience."""

    IDLE = auto()  # the peer may begin a request
    HEAD = auto()  # the peer has begun a request and owes the rest of its head
    BODY = auto()  # the peer owes the rest of a body
    ANSWER = auto()  # the application answers, or talks over a WebSocket: the transport has no say


_CHUNKED: Final = b"\r\nTransfer-Encoding: chunked\r\n"  # as h11 writes it

_PHASES: Final[dict[object, Phase]] = {h11.IDLE: Phase.IDLE, h11.SEND_BODY: Phase.BODY}


class Http1(H11Protocol):
    """One HTTP/1.1 connection. HTTP/2 needs TLS and ALPN; the clear-text upgrade to it is not offered.

    The head of a response goes out with the first of its body, in one write: ASGI asks for no less, and a write to the kernel is a
    tenth of all that a small request costs.
    """

    _head = b""
    _chunked = False

    @property
    def phase(self) -> Phase:
        """Whose turn it is, as far as the bytes handled so far tell."""
        if isinstance(self.connection, H11WSConnection):
            return Phase.ANSWER
        phase = _PHASES.get(self.connection.their_state, Phase.ANSWER)
        if phase is Phase.IDLE and self.connection.trailing_data[0]:
            return Phase.HEAD
        return phase

    @property
    def refused(self) -> bool:
        """Whether hypercorn answered by itself and forgot to close: its stream is over but still there, or is a WebSocket that said
        goodbye to a message too large (1009) and would go on to buffer what follows."""
        if isinstance(self.stream, WSStream) and self.stream.buffer.length > self.stream.buffer.max_length:
            return True
        return self.stream is not None and self.stream.closed

    @property
    def answering(self) -> bool:
        """Whether a complete request is still being answered after the peer has shut its sending side."""
        return isinstance(self.stream, HTTPStream) and self.connection.their_state is h11.CLOSED

    @property
    def cut_short(self) -> bool:
        """Whether the peer may be sending what nobody will read: the rest of a body, or junk."""
        return self.connection.their_state in {h11.SEND_BODY, h11.ERROR}

    @property
    def chunked(self) -> bool:
        """Whether the response that has begun is sent in chunks."""
        return self._chunked

    @property
    def takes_whole(self) -> bool:
        """Whether the request is complete and unanswered and its connection goes on: then `send_whole` may answer it."""
        return (
            self.connection.our_state is h11.SEND_RESPONSE
            and self.connection.their_state is h11.DONE
            and self.keep_alive_requests < self.config.keep_alive_max_requests
        )

    async def send_chunk(self, data: bytes) -> None:
        """Send a piece of a chunked body. h11 has nothing to count or to check in it. A checkpoint as `Wire.send` says.

        Args:
            data: may be empty: then nothing is sent, for an empty chunk would be the last.
        """
        if data:
            await self._send_behind_head(b"%x\r\n%b\r\n" % (len(data), data))

    async def send_whole(self, data: bytes) -> None:
        """Send a whole response, where `takes_whole`, and turn to the next request. A checkpoint as `Wire.send` says.

        h11 read the request; of the response it learns nothing, and a new one reads on. Making that is cheaper than to let the old
        one check what was made right here.

        Args:
            data: the head and the body.
        """
        await self.send(RawData(data))
        await self._close_stream()
        if self.context.terminated.is_set():
            await self.can_read.set()
            await self.send(Closed())
            return
        rest, is_over = self.connection.trailing_data
        self.connection = h11.Connection(
            h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size
        )
        if rest:
            self.connection.receive_data(rest)
        if is_over:
            self.connection.receive_data(b"")
        await self.can_read.set()
        await self.send(Updated(idle=True))

    async def stream_send(self, event: StreamEvent) -> None:
        """Pass on what the application's side says; the end of a request whole, even to a cancelled caller.

        quart-trio cancels its tasks as soon as a response is complete, and it is one of them that ends the request
        here. Half an end would leave the connection neither closed nor ready for the next request.

        Args:
            event: from hypercorn's stream.
        """
        if not isinstance(event, StreamClosed):
            await super().stream_send(event)
            return
        with trio.move_on_after(limits_of(self.config).goodbye_s, shield=True) as scope:
            await super().stream_send(event)
        if scope.cancelled_caught:  # the application left its client's body unread, and the news behind it
            await self.send(Closed())

    async def _create_stream(self, request: h11.Request) -> None:
        if any(name == b"upgrade" for name, _ in request.headers):
            await super()._create_stream(request)  # perhaps to a WebSocket
            return
        self.stream = Stream(self, STREAM_ID)
        await self.stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=list(
                    request.headers.raw_items() if self.config.h11_pass_raw_headers else request.headers
                ),
                http_version=request.http_version.decode(),
                method=request.method.decode("ascii").upper(),
                raw_path=request.target,
                state=self.connection_state,
            )
        )
        self.keep_alive_requests += 1
        await self.context.mark_request()

    async def _send_h11_event(self, event: H11SendableEvent) -> None:
        try:
            data = self.connection.send(event)
        except h11.LocalProtocolError:
            if self.connection.their_state is not h11.ERROR:
                raise
            return
        if isinstance(event, h11.Response):
            self._head, self._chunked = data, _CHUNKED in data
        else:
            await self._send_behind_head(data)

    async def _send_behind_head(self, data: bytes) -> None:
        if self._head:
            data, self._head = self._head + data, b""
        if data:
            await self.send(RawData(data))

    async def refuse(self, status: int) -> None:
        """Answer a request that is not complete and never will be.

        Only between requests, while the application knows of none. A checkpoint only if the peer does not read.

        Args:
            status: the HTTP status, such as 408.
        """
        await self._send_error_response(status)

    async def _check_protocol(self, event: h11.Request) -> None:
        # The original changes to HTTP/2 here, whose streams no deadline of ours would reach.
        pass
