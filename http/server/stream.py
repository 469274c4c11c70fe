"""One request on an HTTP/1.1 connection, and the response to it."""

from __future__ import annotations

import re
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any, Final, cast

from hypercorn.protocol.events import Request
from hypercorn.protocol.http_stream import ASGIHTTPState, HTTPStream

if TYPE_CHECKING:
    from hypercorn.protocol.events import Event
    from hypercorn.typing import ASGISendEvent

    from placet.http.server.http1 import Http1

WHOLE: Final = "placet.http.response.whole"
"""The type of a message of our own, and the name under which a scope's extensions say that the server takes it.

It is a response whose body is at hand, in one message: `status` and `headers` as in `http.response.start`, and `body`.
"""

# What h11 lets pass: a token, and no control character but the tab.
_NAME: Final = re.compile(rb"[-!#$%&'*+.^_`|~0-9a-z]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")

# Where the end of a response is, and what comes after it, is said by this module or by h11, not by the application.
_FRAMING: Final = frozenset({b"connection", b"transfer-encoding", b"upgrade"})

_NO_BODY: Final = frozenset({204, 304})


class Stream(HTTPStream):
    """Hypercorn's, with a short way for what is said most: a whole response, and a piece of one that streams.

    Whatever is not quite ordinary goes the long way, through hypercorn and h11, which then decide about it.

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
        self._flows = False

    async def handle(self, event: Event) -> None:
        """Take what comes from the client. A checkpoint only if the application leaves a long body unread."""
        await super().handle(event)
        if isinstance(event, Request) and not self.closed:
            cast("dict[str, Any]", self.scope["extensions"])[WHOLE] = {}

    async def app_send(self, message: ASGISendEvent | None) -> None:
        """Take what the application says; `None` when it has ended. A checkpoint as `Wire.send` says."""
        said = cast("dict[str, Any]", message or {})
        kind = said.get("type")
        if kind == "http.response.body" and self._flows and said.get("more_body"):
            await self._protocol.send_chunk(said["body"])
        elif kind == WHOLE and self.state is ASGIHTTPState.REQUEST:
            await self._answer(said["status"], said["headers"], said["body"])
        else:
            await super().app_send(message)
            self._flows = self.state is ASGIHTTPState.RESPONSE and self._is_chunked()

    def _is_chunked(self) -> bool:
        return self._protocol.chunked and self.scope["method"] != "HEAD"

    async def _answer(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        head = self._head(status, headers, len(body)) if self._protocol.takes_whole else None
        if head is None:
            await super().app_send(
                {"type": "http.response.start", "status": status, "headers": headers, "trailers": False}
            )
            await super().app_send({"type": "http.response.body", "body": body, "more_body": False})
            return
        self.state = ASGIHTTPState.CLOSED
        await self.config.log.access(
            self.scope, {"status": status, "headers": headers}, time() - self.start_time
        )
        await self._protocol.send_whole(head + body)

    def _head(self, status: int, headers: list[tuple[bytes, bytes]], size_bytes: int) -> bytes | None:
        """The head of a response with a body of that size; `None` if it needs more care than is taken here."""
        if status < 200 or status in _NO_BODY or self.scope["method"] == "HEAD":
            return None
        own = [pair for pair in headers if pair[0] != b"content-length"]
        lines = [_line(*pair) for pair in own + self.config.response_headers("h11")]
        if b"" in lines:
            return None
        return b"HTTP/1.1 %d \r\n%bcontent-length: %d\r\n\r\n" % (status, b"".join(lines), size_bytes)


@lru_cache(512)
def _line(name: bytes, value: bytes) -> bytes:
    """A header's line; empty if it needs h11's eye. The same few dozen come again with every response."""
    if name in _FRAMING or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return b""
    return b"%b: %b\r\n" % (name, value)
