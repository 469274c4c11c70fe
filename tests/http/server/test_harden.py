"""Our connection class takes the place of hypercorn's, also for `hypercorn -k trio`."""

from __future__ import annotations

from functools import partial

import pytest
import trio
from hypercorn.trio import run
from hypercorn.trio import serve as hypercorn_serve

from placet.http.server import Connection, ConnectionLimits, install, make_config, open_sockets, serve
from tests.http.server.helpers import GET, Recorder


@pytest.fixture(autouse=True)
def _restore(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TCPServer", "WorkerContext"):
        monkeypatch.setattr(run, name, vars(run)[name])


def test_installing_twice_is_installing_once() -> None:
    install()
    install()
    assert vars(run)["TCPServer"] is Connection


async def test_a_plain_hypercorn_server_uses_it_once_installed() -> None:
    install()
    app = Recorder()
    config = make_config(limits=ConnectionLimits(head_s=0.01))
    [listening] = open_sockets("127.0.0.1", 0)
    port = listening.getsockname()[1]
    config.bind = [f"fd://{listening.detach()}"]
    async with trio.open_nursery() as nursery:
        await nursery.start(hypercorn_serve, app, config)
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with stream:
            await stream.send_all(GET[:-1])
            assert (await stream.receive_some(1000)).startswith(b"HTTP/1.1 408")
        nursery.cancel_scope.cancel()


async def test_serve_tells_its_addresses_and_ends_with_the_shutdown() -> None:
    app = Recorder()
    shutdown = trio.Event()
    sockets = open_sockets("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    async with trio.open_nursery() as nursery:
        started = await nursery.start(partial(serve, app, sockets, make_config(), shutdown=shutdown))
        assert started == [f"http://127.0.0.1:{port}"]
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(GET)
            assert (await stream.receive_some(1000)).startswith(b"HTTP/1.1 200")
            shutdown.set()
            assert await stream.receive_some(1000) == b""
    assert all(sock.fileno() == -1 for sock in sockets)
