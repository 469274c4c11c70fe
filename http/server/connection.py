"""One client connection that can harm nobody but itself.

Hypercorn's own class for this trusts its peers: an exception leaves it and ends the server, a peer that stops
reading can never be cancelled, a finished connection is not always closed, and a slow sender may take for ever.
This one takes its place (`placet.http.server.harden`) and keeps hypercorn's protocol code.

Three decisions carry it:

1. What the protocol asks for besides sending (close, idle, busy) is done *without a checkpoint*. It is asked for by
   the application's task, which quart-trio cancels as soon as a response is complete. Where nothing awaits, nothing
   can be cancelled; what must await before it is shielded, for a bounded time (`Http1.stream_send`).
2. There is one reader, and all patience is the deadline of its scope, which counts only while it waits for bytes.
   Whoever changes whose turn it is moves that deadline; no timer and no scope is made per request.
3. To end a connection is to cancel its reader. The reader's task then tells the application and closes, always in
   this order and always in this place.
"""

from __future__ import annotations

import logging
from math import inf
from typing import TYPE_CHECKING, cast

import trio
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h2 import H2Protocol
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.typing import ConnectionState

from placet.http.server.http1 import Http1, Phase
from placet.http.server.incoming import Tasks
from placet.http.server.limits import limits_of
from placet.http.server.wire import Wire

if TYPE_CHECKING:
    from hypercorn.config import Config
    from hypercorn.trio.task_group import TaskGroup
    from hypercorn.typing import AppWrapper, LifespanState

    from placet.http.server.stopping import AnnouncingContext
    from placet.http.server.wire import AnyStream

logger = logging.getLogger(__name__)


class Connection(TCPServer):
    """Serves one connection from its first byte to its close.

    Args:
        app: the wrapped application.
        config: hypercorn's configuration; a `ServerConfig` also brings the limits.
        context: what all connections of the server share, above all whether it is shutting down.
        state: the lifespan's state, handed to every request.
        stream: the connection, with or without TLS.
    """

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: AnnouncingContext,
        state: LifespanState,
        stream: AnyStream,
    ) -> None:
        # Hypercorn declares TLS only, and passes both.
        super().__init__(app, config, context, state, cast("trio.SSLStream[trio.SocketStream]", stream))
        del self.send_lock, self.idle_task  # a kilobyte for nothing: this class has no use for them
        self._stop = context.terminated
        self._stream = stream
        self._limits = limits_of(config)
        self._phase = Phase.ANSWER
        self._deadline = inf
        self._waits = False
        self._reading = trio.CancelScope()
        self._wire = Wire(stream, self._limits, on_lost=self._reading.cancel)
        self._http: Http1 | H2Protocol

    async def run(self) -> None:
        """Serve until the connection ends.

        Never raises for what the peer, the protocol or the application does: it is logged in one line. When
        cancelled, the connection is closed at once and its requests are cancelled with it.
        """
        try:
            await self._serve()
        except* (OSError, trio.BrokenResourceError, trio.TooSlowError):
            pass  # the peer left, or never finished its TLS handshake
        except* Exception as group:
            _log(group)
        finally:
            await trio.aclose_forcefully(self._stream)

    async def protocol_send(self, event: Event) -> None:
        """Do what the protocol asks for. A checkpoint only if the peer does not read fast enough.

        Args:
            event: bytes to send, or the news that the connection is over, idle or busy.
        """
        if isinstance(event, RawData):
            await self._wire.send(event.data)
        elif isinstance(event, Closed):
            self._reading.cancel()
        elif isinstance(event, Updated):
            self._enter(Phase.IDLE if event.idle else Phase.ANSWER)

    async def _serve(self) -> None:
        with trio.fail_after(self.config.ssl_handshake_timeout):
            alpn = await _shake_hands(self._stream)
        tasks = Tasks()
        async with tasks:
            self._http = self._protocol(tasks, alpn)
            await self._http.initiate()
            self._enter(Phase.IDLE)
            self._stop.add(self._hurry)
            try:
                with self._reading:
                    await self._read_data()
                late = self._phase is Phase.HEAD and trio.current_time() >= self._deadline
                if late and isinstance(self._http, Http1):
                    await self._http.refuse(408)
                took_it = await self._end()
            finally:
                self._stop.discard(self._hurry)
            tasks.end_within(self._limits.goodbye_s if took_it else 0)

    def _protocol(self, tasks: TaskGroup, alpn: str | None) -> Http1 | H2Protocol:
        kind = H2Protocol if alpn == "h2" else Http1
        return kind(
            self.app,
            self.config,
            self.context,
            tasks,
            ConnectionState(self.state),
            ssl=isinstance(self._stream, trio.SSLStream),
            client=_endpoint(self._wire.socket.getpeername()),
            server=_endpoint(self._wire.socket.getsockname()),
            send=self.protocol_send,
        )

    async def _read_data(self) -> None:
        while data := await self._receive():
            await self._http.handle(RawData(data))
            if isinstance(self._http, Http1):
                if self._http.refused:
                    return
                self._enter(self._http.phase)
        if data is not None:
            await self._http.handle(RawData(b""))
            await self._finish_answer()

    async def _receive(self) -> bytes | None:
        """The next bytes; none at the peer's end; None when it broke off. Cancelled when it tries our patience."""
        self._waits, self._reading.deadline = True, self._deadline
        try:
            return await self._wire.receive()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return None
        finally:
            self._waits, self._reading.deadline = False, inf

    def _enter(self, phase: Phase) -> None:
        """Note whose turn it is. A head's time runs from its first byte, a body's from its latest."""
        if phase is self._phase and phase is not Phase.BODY:
            return
        self._phase = phase
        self._deadline = trio.current_time() + self._patience_s(phase)
        if self._waits:
            self._reading.deadline = self._deadline

    def _patience_s(self, phase: Phase) -> float:
        match phase:
            case Phase.IDLE:
                return self.config.keep_alive_timeout
            case Phase.HEAD:
                return self._limits.head_s
            case Phase.BODY:
                return self._limits.body_idle_s
            case Phase.ANSWER:
                return inf

    async def _finish_answer(self) -> None:
        # A peer that shuts only its sending side looks exactly like one that has left, until something sent to
        # it comes back as a reset; and of that the kernel tells only who asks. The end of the answer cancels the
        # reader, and so this.
        while isinstance(self._http, Http1) and self._http.answering:
            await trio.sleep(self._limits.probe_s)
            if self._wire.peer_is_gone():
                return

    async def _end(self) -> bool:
        """Tell the application that its client is gone, and close. Whether it took the news."""
        read_on = isinstance(self._http, Http1) and self._http.cut_short
        with trio.move_on_after(self._limits.goodbye_s) as scope:
            await self._http.handle(Closed())
        await self._wire.close(read_on=read_on)
        return not scope.cancelled_caught

    def _hurry(self) -> None:
        """The server stops."""
        self._wire.hurry()
        if self._phase in {Phase.IDLE, Phase.HEAD}:
            self._reading.cancel()


async def _shake_hands(stream: AnyStream) -> str | None:
    if not isinstance(stream, trio.SSLStream):
        return None
    await stream.do_handshake()
    return cast("str | None", stream.selected_alpn_protocol())


def _endpoint(address: str | tuple[str, int] | tuple[str, int, int, int]) -> tuple[str, int] | None:
    """Host and port; None for a Unix socket, whose address is a path."""
    return (address[0], address[1]) if isinstance(address, tuple) else None


def _log(group: ExceptionGroup[Exception]) -> None:
    logger.warning(
        "a connection failed and was closed: %s",
        ", ".join(sorted(_kinds(group))),
        exc_info=group if logger.isEnabledFor(logging.DEBUG) else None,
    )


def _kinds(error: Exception) -> set[str]:
    if not isinstance(error, ExceptionGroup):
        return {type(error).__name__}
    group = cast("ExceptionGroup[Exception]", error)
    return {kind for child in group.exceptions for kind in _kinds(child)}
