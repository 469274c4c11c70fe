"""Reading from a socket without the layers of a stream."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from trio.socket import SocketType


async def receive(sock: SocketType, most_bytes: int) -> bytes:
    """What the kernel has for a socket, once it has something. Always a checkpoint; cancelled, nothing is lost.

    `SocketStream.receive_some` does the same six calls deeper, and each of these waits in memory on every silent connection.

    Args:
        sock: not read by anybody else meanwhile.
        most_bytes: how much is taken at once.

    Returns:
        At most so many bytes; none at the peer's end.

    Raises:
        OSError: the connection broke.
        trio.ClosedResourceError: the socket was closed here while this waited.
    """
    while True:
        await trio.lowlevel.wait_readable(sock)
        with suppress(BlockingIOError):
            return os.read(sock.fileno(), most_bytes)
