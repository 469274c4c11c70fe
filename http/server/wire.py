"""The bytes of one connection. Sending is never stuck for ever, and cheap when the peer reads."""

from __future__ import annotations

import os
import socket
import struct
from typing import TYPE_CHECKING

import trio

from placet.actors.runtime import receive

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.http.server.limits import ConnectionLimits

# One deadline covers this much, so that a long answer over a slow but living link is not cut.
PIECE_BYTES = 64 * 1024

# A send that the kernel takes at once does not yield. After this many the task lets others run, so that an
# application which never waits cannot starve them (16 frames are about a millisecond).
SENDS_PER_YIELD = 16

# With TLS or without.
AnyStream = trio.SSLStream[trio.SocketStream] | trio.SocketStream

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Wire:
    """Sends to one peer, in order, under a deadline; and receives.

    A frame that was begun must be finished or the connection is worthless, so sending is shielded from
    cancellation; and a shield must end, so a peer that takes nothing for `send_s` seconds is dropped.

    Args:
        stream: the connection.
        limits: how long the peer may take.
        on_lost: called once, without waiting, when nothing more can be sent.
    """

    def __init__(self, stream: AnyStream, limits: ConnectionLimits, on_lost: Callable[[], None]) -> None:
        self._stream = stream
        self._limits = limits
        self._on_lost = on_lost
        self.socket = (stream.transport_stream if isinstance(stream, trio.SSLStream) else stream).socket
        # Only bytes that need no encryption may bypass the stream.
        self._direct = isinstance(stream, trio.SocketStream)
        self._lock: trio.Lock | None = None  # made at need: few peers are ever slow
        self._slow: trio.CancelScope | None = None
        self._send_s = limits.send_s
        self._sends = 0
        self.lost = False

    async def receive(self) -> bytes:
        """What comes next, at most 64 KiB; empty at the peer's end. Always a checkpoint; cancelled, nothing is lost.

        Raises:
            OSError: the connection broke.
            trio.BrokenResourceError: the same, over TLS.
            trio.ClosedResourceError: it was closed here.
        """
        if self._direct:
            return await receive(self.socket, PIECE_BYTES)
        return bytes(await self._stream.receive_some(PIECE_BYTES))

    async def send(self, data: bytes) -> None:
        """Send all of `data`, or drop the peer.

        What the kernel takes at once is handed over without a checkpoint: one in `SENDS_PER_YIELD` yields.
        Otherwise it waits, shielded, at most `send_s` seconds for each 64 KiB. Sending to a lost peer does
        nothing but yield. Never raises for what the peer does; cancellation never cuts a frame.

        Args:
            data: whole protocol frames.
        """
        sent = self._send_nowait(data)
        if sent < len(data):
            await self._send_rest(data[sent:])
            return
        self._sends += 1
        if self.lost or self._sends % SENDS_PER_YIELD == 0:
            await trio.lowlevel.checkpoint()

    def _send_nowait(self, data: bytes) -> int:
        """How many bytes need no more care: those the kernel took, or all if the peer is lost."""
        if self.lost or not data:
            return len(data)
        if not self._direct or (self._lock is not None and self._lock.locked()):
            return 0
        try:
            return os.write(self.socket.fileno(), data)
        except BlockingIOError:
            return 0
        except OSError:
            self._lose()
            return len(data)

    async def _send_rest(self, data: bytes) -> None:
        # The wait for the lock needs no deadline of its own: whoever holds it has one.
        self._lock = self._lock or trio.Lock()
        with trio.CancelScope(shield=True) as scope:
            async with self._lock:
                self._slow = scope
                try:
                    await self._send_pieces(memoryview(data), scope)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    self._lose()
                finally:
                    self._slow = None
        if scope.cancelled_caught:
            self.drop()

    async def _send_pieces(self, data: memoryview, scope: trio.CancelScope) -> None:
        for start in range(0, len(data), PIECE_BYTES):
            if self.lost:
                return
            scope.deadline = trio.current_time() + self._send_s
            await self._stream.send_all(data[start : start + PIECE_BYTES])

    def hurry(self) -> None:
        """From now on the peer has `drain_send_s` seconds instead of `send_s`, also for what is under way."""
        self._send_s = min(self._send_s, self._limits.drain_send_s)
        if self._slow is not None:
            self._slow.deadline = min(self._slow.deadline, trio.current_time() + self._send_s)

    def drop(self) -> None:
        """Give the peer up: what it has not taken is discarded and it gets a reset."""
        if self.socket.fileno() >= 0:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._lose()

    def _lose(self) -> None:
        if not self.lost:
            self.lost = True
            self._on_lost()

    def peer_is_gone(self) -> bool:
        """Whether the kernel has learned that the peer no longer listens (it answered with a reset)."""
        return self.lost or self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0

    async def close(self, *, read_on: bool) -> None:
        """End the connection so that the peer gets all that was sent.

        Always a checkpoint. If cancelled, the connection is still open, for the caller to close forcefully.

        Args:
            read_on: whether the peer may still be sending. Then up to `linger_s` seconds of it are read and
                thrown away, because closing over unread bytes resets the connection.
        """
        with trio.move_on_after(self._limits.linger_s):
            await self._say_goodbye(read_on=read_on)
        await trio.aclose_forcefully(self._stream)

    async def _say_goodbye(self, *, read_on: bool) -> None:
        if self.lost:
            return
        try:
            if isinstance(self._stream, trio.SSLStream):
                await self._stream.aclose()
                return
            await self._stream.send_eof()
            while read_on and await self._stream.receive_some(PIECE_BYTES):
                pass
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError):
            pass  # nothing more can be said
