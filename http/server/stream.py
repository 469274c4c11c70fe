"""One request on an HTTP/1.1 connection, and the response to it."""

from __future__ import annotations

import re
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any, Final, cast

from hypercorn.events import RawData
from hypercorn.protocol.events import Request
from hypercorn.protocol.http_stream import ASGIHTTPState, HTTPStream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hypercorn.protocol.events import Event
    from hypercorn.typing import ASGISendEvent, HTTPResponseStartEvent

    from placet.http.server.http1 import Http1

    Pairs = Iterable[tuple[bytes, bytes]]

WHOLE: Final = "placet.http.response.whole"
"""The type of a message of our own, and the name under which a scope's extensions say that the server takes it.

It is a response whose body is at hand, in one message: `status` and `headers` as in `http.response.start`, and `body`.
"""

# What h11 lets pass: a token, and no control character but the tab.
_NAME: Final = re.compile(rb"[-!#$%&'*+.^_`|~0-9a-z]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")

# Where the end of a response is, and what comes after it, is said by this module or by h11, not by the application.
_FRAMING: Final = frozenset({b"connection", b"content-length", b"transfer-encoding", b"upgrade"})
_CHUNKED: Final = b"transfer-encoding: chunked\r\n"

_NO_BODY: Final = frozenset({204, 304})


class Stream(HTTPStream):
    """Hypercorn's, with a short way for what is said most: a whole response, and one that streams in chunks.

    Whatever is not quite ordinary goes the long way, through hypercorn and h11, which then decide about it. On the short way h11
    learns nothing of the response; the head goes out with the first of the body, in one write.

    Args:
        protocol: whose stream it is.
        stream_id: as hypercorn numbers them.
    """

    def __init__(self, protocol: Http1, stream_id: int) -> None:
        super().__init__(
            protocol.app,
            protocol.config,
            protocol.context,
            protocol.task_group,
            protocol.ssl,
            protocol.client,
            protocol.server,
            protocol.stream_send,
            stream_id,
        )
        self._protocol = protocol
        self._chunked = False
        self._begun = b""  # a head that waits for the first of its body

    async def handle(self, event: Event) -> None:
        """Take what comes from the client. A checkpoint only if the application leaves a long body unread."""
        await super().handle(event)
        if isinstance(event, Request) and not self.closed:
            cast("dict[str, Any]", self.scope["extensions"])[WHOLE] = {}

    async def app_send(self, message: ASGISendEvent | None) -> None:
        """Take what the application says; `None` when it has ended. A checkpoint as `Wire.send` says."""
        said: Any = message or {}
        kind = said.get("type")
        if kind == "http.response.body" and self._chunked and self.state is ASGIHTTPState.RESPONSE:
            await self._send_chunk(said.get("body", b""), more=said.get("more_body", False))
        elif kind == "http.response.start" and self.state is ASGIHTTPState.REQUEST:
            await self._begin(said)
        elif kind == WHOLE and self.state is ASGIHTTPState.REQUEST:
            await self._answer(said, said["body"])
        else:
            await super().app_send(message)

    async def _begin(self, response: HTTPResponseStartEvent) -> None:
        may_stream = self.scope["http_version"] >= "1.1"
        head = self._head(response, response["headers"], _CHUNKED) if may_stream else None
        if head is None:
            await super().app_send(response)
            return
        self.response, self.state = response, ASGIHTTPState.RESPONSE
        self._chunked, self._begun = True, head

    async def _send_chunk(self, data: bytes, *, more: bool) -> None:
        if data:
            data, self._begun = b"%b%x\r\n%b\r\n" % (self._begun, len(data), data), b""
        if not more:
            await self._send_last(self._begun + data + b"0\r\n\r\n", self.response)
        elif data:
            await self._protocol.send(RawData(data))

    async def _answer(self, response: HTTPResponseStartEvent, body: bytes) -> None:
        headers = [pair for pair in response["headers"] if pair[0] != b"content-length"]
        head = self._head(response, headers, b"content-length: %d\r\n" % len(body))
        if head is not None:
            await self._send_last(head + body, response)
            return
        await super().app_send({**response, "type": "http.response.start"})
        await super().app_send({"type": "http.response.body", "body": body, "more_body": False})

    async def _send_last(self, data: bytes, response: HTTPResponseStartEvent) -> None:
        self.state = ASGIHTTPState.CLOSED
        await self.config.log.access(self.scope, response, time() - self.start_time)
        await self._protocol.send_last(data)

    def _head(self, response: HTTPResponseStartEvent, headers: Pairs, framing: bytes) -> bytes | None:
        """The head of a response whose end is where `framing` says; `None` if it needs more care than is taken here."""
        status = response["status"]
        if (
            not self._protocol.is_plain
            or status < 200
            or status in _NO_BODY
            or self.scope["method"] == "HEAD"
        ):
            return None
        lines = [_line(*pair) for pair in (*headers, *self.config.response_headers("h11"))]
        if b"" in lines:
            return None
        end = b"" if self._protocol.goes_on else b"connection: close\r\n"
        return b"HTTP/1.1 %d \r\n%b%b%b\r\n" % (status, b"".join(lines), framing, end)


@lru_cache(512)
def _line(name: bytes, value: bytes) -> bytes:
    """A header's line; empty if it needs h11's eye. The same few dozen come again with every response."""
    if name in _FRAMING or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return b""
    return b"%b: %b\r\n" % (name, value)
