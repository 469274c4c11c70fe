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


class Phase(Enum):
    """Whose turn it is on a connection. Each phase has its own patience."""

    IDLE = auto()  # the peer may begin a request
    HEAD = auto()  # the peer has begun a request and owes the rest of its head
    BODY = auto()  # the peer owes the rest of a body
    ANSWER = auto()  # the application answers, or talks over a WebSocket: the transport has no say


_COMPLETE: Final = frozenset({h11.DONE, h11.MUST_CLOSE})

_PHASES: Final[dict[object, Phase]] = {h11.IDLE: Phase.IDLE, h11.SEND_BODY: Phase.BODY}


class Http1(H11Protocol):
    """One HTTP/1.1 connection. HTTP/2 needs TLS and ALPN; the clear-text upgrade to it is not offered."""

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
    def is_plain(self) -> bool:
        """Whether the request is complete and unanswered, and asks for no other protocol: then h11 need not see the response."""
        return self.connection.our_state is h11.SEND_RESPONSE and self.connection.their_state in _COMPLETE

    @property
    def goes_on(self) -> bool:
        """Whether the connection may have another request."""
        return (
            self.connection.their_state is h11.DONE
            and self.keep_alive_requests < self.config.keep_alive_max_requests
            and not self.context.terminated.is_set()
        )

    async def send_last(self, data: bytes) -> None:
        """Send the last of a response that h11 has not seen, and turn to the next request or close.

        A checkpoint as `Wire.send` says.

        Args:
            data: all of the response, or what is left of it.
        """
        await self.send(RawData(data))
        await self._close_stream()
        goes_on = self.goes_on
        if goes_on:
            self._turn_to_next()
        await self.can_read.set()
        await self.send(Updated(idle=True) if goes_on else Closed())

    def _turn_to_next(self) -> None:
        """Read on with a new h11: the one that read the last request waits for a response. It costs less than a header."""
        rest, is_over = self.connection.trailing_data
        self.connection = h11.Connection(
            h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size
        )
        if rest:
            self.connection.receive_data(rest)
        if is_over:
            self.connection.receive_data(b"")

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
