"""One client connection that can harm nobody but itself.

Hypercorn's own class for this trusts its peers: an exception leaves it and ends the server, a peer that stops reading
can never be cancelled, a finished connection is not always closed, and a slow sender may take for ever. This one takes
its place (`placet.http.server.harden`) and keeps hypercorn's protocol code.

Three decisions carry it:

1. What the protocol asks for besides sending (close, idle, busy) is done *without a checkpoint*. quart-trio cancels its
   request's tasks as soon as a response is complete, and that is the very task in which hypercorn then asks to close or
   to go idle. Where nothing awaits, nothing can be cancelled.
2. There is one reader, and all patience is the deadline of its current wait. Whoever changes whose turn it is moves
   that deadline; no timer task is started per request.
3. To end a connection is to cancel its reader. The reader's task then tells the application and closes, always in
   this order and always in this place.
"""

from __future__ import annotations

import logging
from math import inf
from typing import TYPE_CHECKING

import trio
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h2 import H2Protocol
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import MAX_RECV, TCPServer
from hypercorn.typing import ConnectionState
from hypercorn.utils import parse_socket_addr

from placet.http.server.http1 import Http1, Phase
from placet.http.server.limits import limits_of
from placet.http.server.wire import Wire

if TYPE_CHECKING:
    from hypercorn.config import Config
    from hypercorn.trio.worker_context import WorkerContext
    from hypercorn.typing import AppWrapper, LifespanState

logger = logging.getLogger(__name__)


class Connection(TCPServer):
    """Serves one connection from its first byte to its close.

    Args:
        app: the wrapped application.
        config: hypercorn's configuration; `ServerConfig` also brings the limits.
        context: what all connections of the server share, above all whether it is shutting down.
        state: the lifespan's state, handed to every request.
        stream: the connection, with or without TLS.
    """

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        state: LifespanState,
        stream: trio.SSLStream[trio.SocketStream],
    ) -> None:
        super().__init__(app, config, context, state, stream)
        limits = limits_of(config)
        self._limits = limits
        self._patience_s = {
            Phase.IDLE: config.keep_alive_timeout,
            Phase.HEAD: limits.head_s,
            Phase.BODY: limits.body_idle_s,
            Phase.ANSWER: inf,
        }
        self._phase = Phase.ANSWER
        self._deadline = inf
        self._wait = trio.CancelScope()
        self._reading = trio.CancelScope()
        self._watching = trio.CancelScope()
        self._everything = trio.CancelScope()
        self._wire = Wire(stream, limits, on_lost=self._reading.cancel)
        self._http: Http1 | H2Protocol

    async def run(self) -> None:
        """Serve until the connection ends.

        Never raises for what the peer, the protocol or the application does: it is logged in one line. When
        cancelled, the connection is closed at once and its requests are cancelled with it.
        """
        try:
            await self._serve()
        except* OSError:
            pass  # the peer left
        except* Exception as group:
            _log(group)
        finally:
            await trio.aclose_forcefully(self.stream)

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
        alpn = "http/1.1"
        if isinstance(self.stream, trio.SSLStream):
            with trio.move_on_after(self.config.ssl_handshake_timeout) as scope:
                await self.stream.do_handshake()
            if scope.cancelled_caught:
                return
            alpn = self.stream.selected_alpn_protocol() or alpn
        with self._everything:
            async with TaskGroup() as tasks:
                self._http = self._protocol(tasks, alpn)
                await self._http.initiate()
                tasks.spawn(self._watch_shutdown)
                self._enter(Phase.IDLE)
                with self._reading:
                    await self._read_data()
                await self._end()

    def _protocol(self, tasks: TaskGroup, alpn: str) -> Http1 | H2Protocol:
        tls = isinstance(self.stream, trio.SSLStream)
        socket = self._wire.socket
        return (H2Protocol if alpn == "h2" else Http1)(
            self.app,
            self.config,
            self.context,
            tasks,
            ConnectionState(self.state),
            tls,
            parse_socket_addr(socket.family, socket.getpeername()),
            parse_socket_addr(socket.family, socket.getsockname()),
            self.protocol_send,
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
        """The next bytes; none at the peer's end; None when it broke off or tried our patience."""
        with trio.CancelScope(deadline=self._deadline) as self._wait:
            try:
                return bytes(await self.stream.receive_some(MAX_RECV))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
        if self._phase is Phase.HEAD and isinstance(self._http, Http1):
            await self._http.refuse(408)
        return None

    def _enter(self, phase: Phase) -> None:
        """Note whose turn it is. The clock of a head runs from its first byte, that of a body from its last."""
        if phase is self._phase and phase is not Phase.BODY:
            return
        self._phase = phase
        self._deadline = self._wait.deadline = trio.current_time() + self._patience_s[phase]

    async def _finish_answer(self) -> None:
        # A peer that shuts only its sending side looks exactly like one that has left, until something sent to
        # it comes back as a reset. The end of the answer cancels the reader, and so this.
        while isinstance(self._http, Http1) and self._http.answering and not self._wire.peer_is_gone():
            await trio.sleep(self._limits.probe_s)

    async def _end(self) -> None:
        read_on = isinstance(self._http, Http1) and self._http.cut_short
        with trio.move_on_after(self._limits.goodbye_s) as scope:
            await self._http.handle(Closed())
        await self._wire.close(read_on=read_on)
        self._watching.cancel()
        if scope.cancelled_caught:
            self._everything.cancel()

    async def _watch_shutdown(self) -> None:
        with self._watching:
            await self.context.terminated.wait()
            self._wire.hurry()
            if self._phase in {Phase.IDLE, Phase.HEAD}:
                self._reading.cancel()


def _log(group: BaseExceptionGroup[Exception]) -> None:
    kinds = sorted({type(error).__name__ for error in _leaves(group)})
    logger.warning(
        "a connection failed and was closed: %s",
        ", ".join(kinds),
        exc_info=group if logger.isEnabledFor(logging.DEBUG) else None,
    )


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for child in error.exceptions for leaf in _leaves(child)]
    return [error]
