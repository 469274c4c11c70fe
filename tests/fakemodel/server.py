"""The server: plain h11 over trio, so that every byte and every way to break off is at hand."""

from __future__ import annotations

import json
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import h11
import trio

from tests.fakemodel.frames import Frames
from tests.fakemodel.script import Reply, says


class _Broken(Exception):
    """The script wants the connection broken off."""


class FakeModel:
    """Answers requests in the order in which they come, each with the next reply.

    Args:
        replies: the replies. A function is given the request and returns one, for as long as it is the next: it is never used up.

    Attributes:
        url: the base URL, once it listens.
        requests: the bodies that it got, in order.
        headers: their headers, with names in lower case.
        failed: replies that were broken off, by script or by the client.
    """

    def __init__(self, *replies: Reply | Callable[[dict[str, Any]], Reply]) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.failed = 0
        self._replies = deque(replies)
        self._go = trio.Event()

    def add(self, *replies: Reply) -> None:
        """Take more replies."""
        self._replies.extend(replies)

    def go_on(self) -> None:
        """Let every `wait` pass, those of now and those to come."""
        self._go.set()

    async def serve(
        self, *, port: int = 0, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Listen on the loopback address until cancelled."""
        listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
        self.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/v1"
        task_status.started()
        await trio.serve_listeners(self.serve_stream, listeners)

    async def serve_stream(self, stream: trio.abc.HalfCloseableStream) -> None:
        """Serve one connection to its end."""
        connection = _Connection(stream)
        try:
            while (request := await connection.request()) is not None:
                await self._answer(connection, *request)
        except (_Broken, trio.BrokenResourceError, h11.RemoteProtocolError):
            self.failed += 1
        finally:
            await trio.aclose_forcefully(stream)

    async def _answer(self, connection: _Connection, path: str, headers: dict[str, str], body: bytes) -> None:
        if not path.endswith("/chat/completions"):
            await connection.whole(404, {}, {"error": {"message": "There is nothing here."}})
            return
        request = json.loads(body)
        self.requests.append(request)
        self.headers.append(headers)
        reply = self._next(request)
        if reply.status != 200:
            await connection.whole(reply.status, reply.headers, reply.body)
            return
        await connection.head(200, {"Content-Type": "text/event-stream", **reply.headers})
        await self._stream(connection, reply, request)
        await connection.end()

    async def _stream(self, connection: _Connection, reply: Reply, request: dict[str, Any]) -> None:
        usage_wanted = bool((request.get("stream_options") or {}).get("include_usage"))
        frames = Frames(reply, str(request.get("model")), usage_wanted=usage_wanted)
        send = partial(connection.data, split=reply.split)
        await send(frames.opening())
        for step in reply.steps:
            ((kind, value),) = step.items()
            match kind:
                case "delay":
                    await trio.sleep(value)
                case "wait":
                    await self._go.wait()
                case "cut":
                    raise _Broken
                case "reset":
                    connection.reset()
                    raise _Broken
                case _:
                    for frame in frames.of(kind, value):
                        await send(frame)
        await send(frames.closing())

    def _next(self, request: dict[str, Any]) -> Reply:
        if not self._replies:
            return Reply(status=500, body={"error": {"message": "The script has no more replies."}})
        first = self._replies[0]
        if isinstance(first, Reply):
            return self._replies.popleft()  # type: ignore[return-value]
        return first(request)


class _Connection:
    """One client's connection."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER)

    async def request(self) -> tuple[str, dict[str, str], bytes] | None:
        """The next request; `None` if there is none any more."""
        event = await self._event()
        if not isinstance(event, h11.Request):
            return None
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in event.headers}
        body = b""
        while isinstance(data := await self._event(), h11.Data):
            body += data.data
        return event.target.decode(), headers, body

    async def _event(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._stream.receive_some(65536))
        return event

    async def head(self, status: int, headers: dict[str, str]) -> None:
        await self._send(h11.Response(status_code=status, headers=list(headers.items())))

    async def data(self, data: bytes, split: int = 0) -> None:
        size = split or len(data)
        for start in range(0, len(data), size or 1):
            await self._send(h11.Data(data=data[start : start + size]))

    async def end(self) -> None:
        await self._send(h11.EndOfMessage())
        if self._http.our_state is h11.MUST_CLOSE:
            raise _Broken
        self._http.start_next_cycle()

    async def whole(self, status: int, headers: dict[str, str], body: Any) -> None:
        encoded = json.dumps(body).encode()
        await self.head(
            status, {"Content-Type": "application/json", "Content-Length": str(len(encoded)), **headers}
        )
        await self.data(encoded)
        await self.end()

    def reset(self) -> None:
        """Make the coming close a reset."""
        assert isinstance(self._stream, trio.SocketStream)
        self._stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    async def _send(self, event: Any) -> None:
        await self._stream.send_all(self._http.send(event) or b"")


@asynccontextmanager
async def fake_model(*replies: Reply | Callable[[dict[str, Any]], Reply] | str) -> AsyncIterator[FakeModel]:
    """A scripted model that listens while the block runs."""
    model = FakeModel(*(says(reply) if isinstance(reply, str) else reply for reply in replies))
    async with trio.open_nursery() as nursery:
        await nursery.start(model.serve)
        yield model
        nursery.cancel_scope.cancel()
