"""A WebSocket client over a plain socket. Nothing is read that the test does not ask for, and anything can be sent."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)

from tests.helpers import PATIENCE_S
from tests.http.ws.viewers import Remote

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.helpers import Api

VERSION = "hermes-gateway-v1"


class Closed(Exception):
    """The server closed the socket.

    Attributes:
        code: why.
        reason: the word for it.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class Viewer(Remote):
    """A viewer over a socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.events = []
        self.stream = stream
        self.ws = WSConnection(ConnectionType.CLIENT)
        self.subprotocol: str | None = None
        self._parts: list[str] = []
        self._frames: list[str] = []
        self._accepted = False
        self._closed: Closed | None = None

    async def frame(self) -> dict[str, Any]:
        """The next frame.

        Raises:
            Closed: there is none.
        """
        while not self._frames:
            await self._receive()
        found: dict[str, Any] = json.loads(self._frames.pop(0))
        return found

    async def ends(self) -> tuple[int, str]:
        """Code and reason with which the server closes, past all frames."""
        try:
            while True:
                await self.frame()
        except Closed as closed:
            return closed.code, closed.reason

    async def send(self, data: str | bytes) -> None:
        """Send a frame with anything in it."""
        event = TextMessage(data) if isinstance(data, str) else BytesMessage(data)
        await self.stream.send_all(self.ws.send(event))

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._calls += 1
        call = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params}
        await self.send(json.dumps(call))
        return await self.answer(self._calls)

    async def shake_hands(
        self, api: Api, key: str | None, subprotocols: list[str], origin: str | None, host: str | None
    ) -> None:
        """Open the WebSocket.

        Raises:
            Closed: the handshake was refused; the code is the response's status.
        """
        headers = [] if key is None else [(b"Authorization", f"Bearer {key}".encode())]
        if origin is not None:
            headers.append((b"Origin", origin.encode()))
        request = Request(
            host or f"127.0.0.1:{api.port}", "/api/ws", subprotocols=subprotocols, extra_headers=headers
        )
        await self.stream.send_all(self.ws.send(request))
        while not self._accepted:
            await self._receive()

    async def _receive(self) -> None:
        if self._closed is not None:
            raise self._closed
        try:
            with trio.fail_after(PATIENCE_S):
                data = await self.stream.receive_some(65536)
        except trio.BrokenResourceError:
            data = b""
        if not data and not self._accepted:
            self._closed = Closed(
                1006, ""
            )  # gone within the handshake, which the library takes for a mistake
            raise self._closed
        self.ws.receive_data(data or None)
        for event in self.ws.events():
            match event:
                case AcceptConnection():
                    self._accepted = True
                    self.subprotocol = event.subprotocol
                case RejectConnection():
                    self._closed = Closed(event.status_code, "rejected")
                case TextMessage():
                    self._parts.append(event.data)
                    if event.message_finished:
                        self._frames.append("".join(self._parts))
                        self._parts.clear()
                case Ping():
                    await self.stream.send_all(self.ws.send(event.response()))
                case CloseConnection():
                    self._closed = self._closed or Closed(event.code, event.reason or "")
                case _:
                    raise AssertionError(event)
        if not data and self._closed is None:
            self._closed = Closed(1006, "")


@asynccontextmanager
async def connect(
    api: Api,
    *,
    key: str | None = "",
    ticket: str | None = None,
    origin: str | None = None,
    host: str | None = None,
    receive_buffer: int | None = None,
) -> AsyncIterator[Viewer]:
    """An open WebSocket, closed behind the block.

    Args:
        api: the server.
        key: the bearer key; by default the server's own, `None` for none.
        ticket: to connect with.
        origin: of the page that connects.
        host: by which name it calls the server; by default the address.
        receive_buffer: bytes that the kernel holds for us.
    """
    subprotocols = [VERSION] if ticket is None else [VERSION, f"hermes-gateway-ticket.{ticket}"]
    stream = await api.connect(receive_buffer=receive_buffer)
    async with stream:
        viewer = Viewer(stream)
        await viewer.shake_hands(api, api.key if key == "" else key, subprotocols, origin, host)
        yield viewer


@asynccontextmanager
async def watching(api: Api, session_id: str = "s", **how: Any) -> AsyncIterator[Viewer]:
    """A viewer that has resumed a session."""
    async with connect(api, **how) as viewer:
        await viewer.event("gateway.ready")
        await viewer.call("session.resume", session_id=session_id)
        yield viewer
