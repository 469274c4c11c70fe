"""A client that costs little: HTTP/1.1 as bytes over one connection, so that the driver is not what is measured."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import trio

if TYPE_CHECKING:
    from types import TracebackType

_RECEIVE_BYTES = 256 * 1024


class Lost(Exception):
    """The server closed the connection, or answered what it should not."""


@dataclass(frozen=True)
class Response:
    """A whole answer."""

    status: int
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def request(method: str, path: str, body: object = None, *, key: str = "", **headers: str) -> bytes:
    """The bytes of a request.

    Args:
        method: of HTTP.
        path: with the query.
        body: is sent as JSON; `None` sends none.
        key: the bearer's.
        headers: further ones; an underscore stands for a dash.
    """
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: benchmark", "Accept: */*"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


class Connection:
    """One connection. An async context manager; leaving closes it at once."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._held = bytearray()

    @classmethod
    async def open(cls, host: str, port: int, *, buffer_bytes: int = 0) -> Connection:
        """Connect.

        Args:
            host: an IPv4 address.
            port: its port.
            buffer_bytes: what the kernel may hold for a reader that does not read; 0 leaves it to the kernel.

        Raises:
            OSError: nobody listens.
        """
        sock = trio.socket.socket()
        if buffer_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        try:
            await sock.connect((host, port))
        except BaseException:
            sock.close()
            raise
        return cls(trio.SocketStream(sock))

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await trio.aclose_forcefully(self._stream)

    async def ask(self, data: bytes) -> Response:
        """Send a request and read its whole answer."""
        await self.send(data)
        return await self.response()

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        await self._stream.send_all(data)

    async def until(self, marker: bytes) -> bytes:
        """Read up to and with the next `marker`; what came behind it is kept for later.

        Raises:
            Lost: the connection ended before.
        """
        searched = 0
        while (found := self._held.find(marker, searched)) < 0:
            searched = max(0, len(self._held) - len(marker) + 1)
            await self._receive()
        return self._take(found + len(marker))

    async def exactly(self, size: int) -> bytes:
        """Read so many bytes.

        Raises:
            Lost: the connection ended before.
        """
        while len(self._held) < size:
            await self._receive()
        return self._take(size)

    async def head(self, status: int = 200) -> bytes:
        """Read an answer's head, in lower case.

        Raises:
            Lost: it has another status, or the connection ended before.
        """
        head = (await self.until(b"\r\n\r\n")).lower()
        if int(head[9:12]) != status:
            raise Lost(f"{head[:300]!r} {bytes(self._held[:500])!r}")
        return head

    async def response(self) -> Response:
        """Read a whole answer.

        Raises:
            Lost: the connection ended before.
        """
        head = (await self.until(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        if (start := head.find(b"content-length:")) >= 0:
            size = int(head[start + 15 : head.index(b"\r\n", start)])
            return Response(status, await self.exactly(size))
        body = b""
        while size := int((await self.until(b"\r\n")).split(b";")[0], 16):
            body += (await self.exactly(size + 2))[:-2]
        await self.until(b"\r\n")
        return Response(status, body)

    async def _receive(self) -> None:
        piece = await self._stream.receive_some(_RECEIVE_BYTES)
        if not piece:
            raise Lost(f"the connection ended after {bytes(self._held[-500:])!r}")
        self._held += piece

    def _take(self, size: int) -> bytes:
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken
