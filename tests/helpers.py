"""A client that speaks HTTP/1.1 over a plain socket, and reads server-sent events as the HTML standard says.

No client library hides anything here: every byte that the server sends can be looked at, and every way to leave can be taken.
"""

from __future__ import annotations

import json
import re
import socket
import struct
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import h11
import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    Headers = dict[str, str] | Sequence[tuple[bytes, bytes]]

PATIENCE_S = 15.0
"""How long any one step may take before the test fails. Generous, for a busy machine; nothing waits for it to pass."""

GONE = (OSError, trio.BrokenResourceError, h11.RemoteProtocolError)
"""What a request meets when its server is killed."""

LINE_END = re.compile(rb"\r\n|\r(?!\Z)|\n")
"""What ends a line. A CR that came last may yet become a CRLF."""


@dataclass(frozen=True)
class Event:
    """One server-sent event.

    Attributes:
        name: what `event:` said, `message` if nothing did.
        data: the `data:` lines.
        id: the last `id:` seen on the stream so far.
    """

    name: str
    data: str
    id: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class EventParser:
    """Bytes in, events out, by the rules of the HTML standard's event stream format.

    Attributes:
        comments: the comment lines so far.
        fields: the names of all fields so far, known and unknown.
    """

    def __init__(self) -> None:
        self.comments: list[str] = []
        self.fields: set[str] = set()
        self._rest = bytearray()
        self._data: list[str] = []
        self._name = ""
        self._id = ""
        self._after_blank = True

    @property
    def is_whole(self) -> bool:
        """Whether nothing is begun and not ended: the last line, if there was one, was blank."""
        return not self._rest and self._after_blank

    def feed(self, received: bytes) -> list[Event]:
        """The events that these bytes complete."""
        events: list[Event] = []
        looked = max(0, len(self._rest) - 1)
        self._rest += received
        begun = 0
        while end := LINE_END.search(self._rest, max(begun, looked)):
            self._line(self._rest[begun : end.start()].decode(), events)
            begun = end.end()
        del self._rest[:begun]
        return events

    def _line(self, line: str, events: list[Event]) -> None:
        self._after_blank = not line
        if not line:
            if self._data:
                events.append(Event(self._name or "message", "\n".join(self._data), self._id))
            self._data, self._name = [], ""
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not name:
            self.comments.append(value)
            return
        self.fields.add(name)
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value


@dataclass
class Reply:
    """A whole response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error object. That it is one, with the four fields, is checked."""
        assert self.headers["content-type"].startswith("application/json"), self
        error: dict[str, Any] = self.json["error"]
        assert {"message", "type", "param", "code"} <= set(error), error
        return error

    @property
    def verdict(self) -> tuple[int, str]:
        """Status and error code."""
        return self.status, self.error["code"]


@dataclass
class Call:
    """A request whose response has begun, on a connection of its own.

    Attributes:
        stream: the connection.
        patience_s: how long the next event, or the whole body, may take.
        received: the body's bytes so far.
        cut: whether the connection ended before the response did.
    """

    stream: trio.SocketStream
    http: h11.Connection
    status: int
    headers: dict[str, str]
    patience_s: float
    parser: EventParser = field(default_factory=EventParser)
    received: bytearray = field(default_factory=bytearray)
    ended: bool = False
    cut: bool = False
    _events: list[Event] = field(default_factory=list)

    async def read(self) -> bytes:
        """The next bytes of the body; empty at its end."""
        if self.ended:
            return b""
        try:
            event = await next_event(self.stream, self.http)
        except (h11.RemoteProtocolError, trio.BrokenResourceError):
            self.cut = self.ended = True
            return b""
        if isinstance(event, h11.Data):
            self.received += event.data
            return bytes(event.data)
        self.ended = True
        return b""

    async def body(self) -> bytes:
        """All of the body, to its end."""
        with trio.fail_after(self.patience_s):
            while await self.read():
                pass
        return bytes(self.received)

    async def event(self) -> Event | None:
        """The next event; `None` after the last."""
        with trio.fail_after(self.patience_s):
            await self._receive_until(lambda: bool(self._events))
        return self._events.pop(0) if self._events else None

    async def until(self, *names: str) -> Event:
        """The next event of one of these names, past all others."""
        seen: list[Event] = []
        while (event := await self.event()) is not None:
            if event.name in names:
                return event
            seen.append(event)
        raise AssertionError(f"the stream ended without {names}: {seen}")

    async def rest(self) -> list[Event]:
        """Every event up to the end."""
        events: list[Event] = []
        while (event := await self.event()) is not None:
            events.append(event)
        return events

    async def comment(self) -> str:
        """The next comment; events that come meanwhile are kept for later."""
        seen = len(self.parser.comments)
        with trio.fail_after(self.patience_s):
            await self._receive_until(lambda: len(self.parser.comments) > seen)
        assert len(self.parser.comments) > seen, "the stream ended"
        return self.parser.comments[-1]

    async def _receive_until(self, enough: Callable[[], bool]) -> None:
        while not enough() and (received := await self.read()):
            self._events += self.parser.feed(received)

    async def reset(self) -> None:
        """Leave as rudely as TCP allows."""
        await reset(self.stream)


class Api:
    """Requests to one server, each on a connection of its own.

    Args:
        port: on the loopback address.
        key: the API key; `None` sends none.
        patience_s: how long a response's head, its next event, or a whole body may take.
    """

    def __init__(self, port: int, key: str | None = None, patience_s: float = PATIENCE_S) -> None:
        self.port = port
        self.key = key
        self.patience_s = patience_s

    async def connect(self, sent: bytes = b"", *, receive_buffer: int | None = None) -> trio.SocketStream:
        """A bare connection, with some bytes sent on it."""
        sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            with trio.fail_after(PATIENCE_S):
                await sock.connect(("127.0.0.1", self.port))
                stream = trio.SocketStream(sock)
                await stream.send_all(sent)
        except BaseException:  # refused, for one
            sock.close()
            raise
        return stream

    def encode(self, method: str, path: str, body: bytes, headers: Headers) -> tuple[h11.Connection, bytes]:
        """A request's bytes, and the state machine that reads its response."""
        lines: list[tuple[Any, Any]] = [
            ("Host", f"127.0.0.1:{self.port}"),
            ("Content-Length", str(len(body))),
        ]
        if self.key is not None:
            lines.append(("Authorization", f"Bearer {self.key}"))
        lines += headers.items() if isinstance(headers, dict) else headers
        http = h11.Connection(h11.CLIENT)
        sent = http.send(h11.Request(method=method, target=path, headers=lines)) or b""
        if body:
            sent += http.send(h11.Data(data=body)) or b""
        http.send(h11.EndOfMessage())
        return http, sent

    async def begin(
        self,
        method: str,
        path: str,
        value: Any = None,
        headers: Headers = (),
        *,
        receive_buffer: int | None = None,
    ) -> Call:
        """Send a request and read its response's head. The caller closes the call's stream.

        Args:
            method: of the request.
            path: of the request.
            value: the body: bytes as they are, anything else as JSON, `None` for none.
            headers: beside the usual.
            receive_buffer: bytes that the kernel holds for us, for a client that does not read.
        """
        body = value if isinstance(value, bytes) else b"" if value is None else json.dumps(value).encode()
        http, sent = self.encode(method, path, body, headers)
        stream = await self.connect(receive_buffer=receive_buffer)
        try:
            with trio.fail_after(self.patience_s):
                await stream.send_all(sent)
                head = await next_event(stream, http)
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        assert isinstance(head, h11.Response), head
        found = {name.decode(): item.decode("latin-1") for name, item in head.headers}
        return Call(stream, http, head.status_code, found, self.patience_s)

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        value: Any = None,
        headers: Headers = (),
    ) -> AsyncIterator[Call]:
        """`begin`, and the connection closed behind it."""
        call = await self.begin(method, path, value, headers)
        try:
            yield call
        finally:
            await trio.aclose_forcefully(call.stream)

    async def ask(
        self,
        method: str,
        path: str,
        value: Any = None,
        headers: Headers = (),
    ) -> Reply:
        """A request and its whole response; one of `GONE` if it ends too soon."""
        async with self.open(method, path, value, headers) as call:
            body = await call.body()
            if call.cut:
                raise trio.BrokenResourceError(f"the response was cut: {call.status} {body!r}")
            return Reply(call.status, call.headers, body)


async def next_event(stream: trio.SocketStream, http: h11.Connection) -> Any:
    """What h11 makes of the next bytes."""
    while (event := http.next_event()) is h11.NEED_DATA:
        http.receive_data(await stream.receive_some(65536))
    return event


async def read_to_end(stream: trio.SocketStream, patience_s: float = PATIENCE_S) -> tuple[bytes, bool]:
    """What came, and whether the other side closed within the time. A reset is an end like any other."""
    received = b""
    try:
        with trio.move_on_after(patience_s) as scope:
            while data := await stream.receive_some(65536):
                received += data
    except trio.BrokenResourceError:
        return received, True
    return received, not scope.cancelled_caught


async def reset(stream: trio.SocketStream) -> None:
    """Close with RST instead of FIN."""
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await trio.aclose_forcefully(stream)
