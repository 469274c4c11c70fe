"""One connection: a reader, a worker that carries out one request after another, and a task for each session that it watches.

All of them live in one nursery that ends with the socket. Nothing is queued for the peer: who has something to send waits until
the peer takes it. So a peer that does not read holds up its own answers and its own events, and nobody else's.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import trio

from placet.actors.protocol.errors import InvalidInput, PlacetError
from placet.http.strict_json import dump_ascii
from placet.http.ws import rpc
from placet.http.ws.methods import METHODS, description
from placet.http.ws.viewer import Viewer

if TYPE_CHECKING:
    from placet.actors.session.bell import Bell
    from placet.http.auth import Principal
    from placet.http.desk import Desk

REQUESTS_MAX: Final = 64
REQUEST_BYTES_MAX: Final = 4 * 1024 * 1024
"""What may wait of one peer. Nobody types so fast: a peer past it does not wait for answers, and is let go."""

LAST_WORDS_S: Final = 1.0
"""How long a drained peer has to take the events that it is owed."""

TRY_AGAIN_LATER: Final = (1013, "gateway_draining")
POLICY_VIOLATION: Final = (1008, "too_many_requests")
"""Close codes of RFC 6455, with reasons."""

Goodbye = tuple[int, str]

logger: Final = logging.getLogger("placet.http.ws")


class Socket(Protocol):
    """A WebSocket that was accepted."""

    async def send(self, text: str) -> None:
        """Send a text frame. Waits while the peer does not read; cancelled, the frame is sent whole or not at all."""

    async def receive(self) -> str | bytes | None:
        """The next frame; `None` for an empty binary one. Raises `trio.EndOfChannel` when the peer is gone."""


class Peer:
    """A viewer at the end of a socket.

    Args:
        desk: the application's objects.
        principal: who it is.
        origin: from where, for the audit.
        socket: the connection. Its owner closes it.
    """

    def __init__(self, desk: Desk, principal: Principal, origin: str, socket: Socket) -> None:
        self._socket = socket
        self._bell = desk.sessions.services.inbox
        self._viewer = Viewer(desk, principal, origin, self._send)
        self._requests, self._waiting = trio.open_memory_channel[str | bytes](REQUESTS_MAX)
        self._waiting_bytes = 0
        self._goodbye: Goodbye | None = None

    async def run(self) -> Goodbye | None:
        """Serve until the peer leaves, asks too much at once, or the server has drained.

        Returns:
            With which code and reason to close; `None` if the peer is gone.

        Cancelled, it leaves every session; what runs there goes on.
        """
        ready = dump_ascii({"type": "gateway.ready", "payload": description(self._viewer)})
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, nursery.cancel_scope)
                await self._send(rpc.event_frame(ready))
                nursery.start_soon(self._work, nursery)
                await _drained(self._bell)
                with trio.move_on_after(LAST_WORDS_S):
                    await self._viewer.wait_until_told()
                self._goodbye = TRY_AGAIN_LATER
                nursery.cancel_scope.cancel()
        finally:
            self._viewer.close()
        return self._goodbye

    async def _read(self, scope: trio.CancelScope) -> None:
        try:
            while True:
                self._keep_nowait(await self._socket.receive() or b"")
        except trio.WouldBlock:
            self._goodbye = POLICY_VIOLATION
        except trio.EndOfChannel:
            pass
        scope.cancel()

    def _keep_nowait(self, data: str | bytes) -> None:
        """Let a request wait for its turn. Always taken off the socket at once, since some frameworks keep any number there."""
        self._waiting_bytes += len(data)
        if self._waiting_bytes > REQUEST_BYTES_MAX:
            raise trio.WouldBlock
        self._requests.send_nowait(data)

    async def _work(self, nursery: trio.Nursery) -> None:
        async for data in self._waiting:
            answer = await answer_to(data, self._viewer)
            if answer is not None:
                await self._send(answer)
            self._waiting_bytes -= len(data)
            self._viewer.begin(nursery)

    async def _send(self, frame: str) -> None:
        # Also where the socket takes the frame at once: a busy session must not keep this task from being cancelled.
        await trio.lowlevel.checkpoint()
        await self._socket.send(frame)


async def answer_to(data: str | bytes, viewer: Viewer) -> str | None:
    """Carry out what a frame asks. A checkpoint only if the method needs one.

    Args:
        data: the frame, whatever it holds.
        viewer: whose it is.

    Returns:
        The frame to answer with; `None` to a notification. Never raises for what the peer sent or a method refused.
    """
    try:
        call = rpc.parse_call(data)
    except rpc.Malformed as malformed:
        return malformed.frame
    frame = await _carry_out(call, viewer)
    return frame if call.wants_answer else None


async def _carry_out(call: rpc.Call, viewer: Viewer) -> str:
    method = METHODS.get(call.method)
    if method is None:
        return rpc.unknown_method_frame(call.id)
    try:
        params = msgspec.convert(call.params, method.params)
        return rpc.result_frame(call.id, await method.handler(viewer, params))
    except msgspec.ValidationError as error:
        return rpc.error_frame(call.id, InvalidInput(f"{error}.", param="params"))
    except PlacetError as error:
        return rpc.error_frame(call.id, error)
    except Exception:  # the edge: one request that nobody expected to fail must not end the others
        logger.exception("unexpected error in %s", call.method)
        return rpc.internal_error_frame(call.id)


async def _drained(bell: Bell) -> None:
    """Wait until the server has drained: by then every session has said its last."""
    while not bell.closed:
        await bell.wait_past(bell.rung)
