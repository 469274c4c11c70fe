"""The process of `placet serve`: house, sockets, signals, shutdown."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

import trio
from msgspec.structs import replace

from placet.http.garbage import look_less
from placet.http.house import House, open_house
from placet.http.server import ConnectionLimits, make_config, open_sockets, serve
from placet.http.startup import announce, base_url
from placet.http.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from placet.http.config import Config

# Beyond the grace: to write how turns ended, to let streams say their last, to checkpoint.
SHUTDOWN_S: Final = 4.0


async def run_server(config: Config) -> None:
    """Serve until SIGTERM or SIGINT, then shut down: turns get their grace, streams end on a whole event. A second signal skips
    the grace.

    Raises:
        StartRefused: with these settings, or on this data directory, the server must not start.
    """
    with ExitStack() as watched, trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        sockets = open_sockets(config.host, config.port)
        for sock in sockets:
            watched.enter_context(sock)
        limits = ConnectionLimits(
            head_s=config.head_timeout_s, body_idle_s=config.body_timeout_s, send_s=config.send_timeout_s
        )
        server_config = make_config(graceful_timeout_s=SHUTDOWN_S / 2, limits=limits)
        stop = trio.Event()
        reached_at = config.public_url or base_url(sockets[0])
        async with open_house(replace(config, public_url=reached_at)) as house:
            look_less()
            async with trio.open_nursery() as nursery:
                await nursery.start(partial(serve, house.app, sockets, server_config, shutdown=stop))
                announce(config, house, sockets)
                await anext(signals)
                watched.enter_context(Watchdog(config.drain_grace_s + SHUTDOWN_S))
                await _drain(house, signals)
                stop.set()


async def _drain(house: House, signals: AsyncIterator[int]) -> None:
    hurry = trio.Event()

    async def hurry_on_signal() -> None:
        await anext(signals)
        hurry.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hurry_on_signal)
        await house.sessions.drain(hurry)
        nursery.cancel_scope.cancel()
