"""A server process and the bytes that go to it."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Kind = Literal["hardened", "plain"]

ROOT = Path(__file__).parents[3]


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join((f"GET {path} HTTP/1.1", "Host: x", *headers, "", "")).encode()


def post(path: str, body: bytes, *, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode() + body


@dataclass
class Server:
    """A running server."""

    process: trio.Process
    port: int
    errors: Path
    streams: list[trio.SocketStream] = field(default_factory=list)

    async def connect(self, sent: bytes = b"", *, receive_buffer: int | None = None) -> trio.SocketStream:
        """A connection that stays open until the server is gone, unless the test closes it."""
        sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect(("127.0.0.1", self.port))
        stream = trio.SocketStream(sock)
        self.streams.append(stream)
        await stream.send_all(sent)
        return stream

    async def stats(self) -> dict[str, int]:
        async with await self.connect(get("/stats")) as stream:
            received = b""
            while not received.endswith(b"}\n"):
                data = await stream.receive_some(65536)
                assert data, received
                received += data
        found: dict[str, int] = json.loads(received[received.index(b"{") :])
        return found

    async def settles(self, wait_s: float = 3, **expected: int) -> bool:
        """Whether each number becomes at most what is expected."""
        with trio.move_on_after(wait_s):
            while True:
                now = await self.stats()
                if all(now[name] <= most for name, most in expected.items()):
                    return True
                await trio.sleep(0.1)
        return False

    async def stop(self, wait_s: float) -> int | None:
        """The exit code after SIGTERM; None if it did not exit in time."""
        self.process.terminate()
        with trio.move_on_after(wait_s):
            return await self.process.wait()
        return None

    async def exits(self, wait_s: float = 3) -> int | None:
        """The exit code if it exits by itself."""
        with trio.move_on_after(wait_s):
            return await self.process.wait()
        return None

    @property
    def log(self) -> str:
        return self.errors.read_text()


@asynccontextmanager
async def running(kind: Kind, folder: Path, **settings: Any) -> AsyncIterator[Server]:
    """Run `app.py` while the block does."""
    errors = folder / "stderr"
    command = [sys.executable, "-m", "tests.system.plain.app", kind, json.dumps(settings)]
    with errors.open("w") as stderr:
        process = await trio.lowlevel.open_process(
            command, stdout=subprocess.PIPE, stderr=stderr, cwd=str(ROOT)
        )
    assert process.stdout is not None
    try:
        async with process.stdout:
            with trio.fail_after(20):
                line = b""
                while not line.endswith(b"\n"):
                    data = await process.stdout.receive_some(100)
                    assert data, errors.read_text()
                    line += data
            server = Server(process, int(line), errors)
            try:
                yield server
            finally:
                for stream in server.streams:
                    stream.socket.close()
    finally:
        process.kill()
        with trio.move_on_after(5, shield=True):
            await process.wait()


async def read_to_end(stream: trio.SocketStream, wait_s: float = 3) -> tuple[bytes, bool]:
    """What came, and whether the other side closed within the time."""
    received = b""
    try:
        with trio.move_on_after(wait_s) as scope:
            while data := await stream.receive_some(65536):
                received += data
    except trio.BrokenResourceError:
        return received, True
    return received, not scope.cancelled_caught


async def reset(stream: trio.SocketStream) -> None:
    """Leave as rudely as TCP allows."""
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await trio.aclose_forcefully(stream)


async def many(count: int, at_once: int, one: Any) -> None:
    """Call `one` so many times, some of them at once."""
    limiter = trio.CapacityLimiter(at_once)

    async def limited() -> None:
        async with limiter:
            await one()

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(limited)
