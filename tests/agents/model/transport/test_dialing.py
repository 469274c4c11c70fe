"""Streams over real sockets: direct, with TLS, and through a proxy."""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
import trustme

from placet.actors.agents.model.transport import dialing
from placet.actors.agents.model.transport.address import Address, Target
from placet.actors.agents.model.transport.connection import Connection
from placet.actors.agents.model.transport.dialing import CONNECT_S, Unreachable, dial

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

pytestmark = pytest.mark.slow


@asynccontextmanager
async def serving(handler: Callable[[trio.SocketStream], Awaitable[None]]) -> AsyncIterator[int]:
    """A server on the loopback address: its port."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, handler, listeners)
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def echo(stream: trio.abc.Stream) -> None:
    try:
        async for data in stream:
            await stream.send_all(data)
    except trio.BrokenResourceError:
        pass  # a client that does not trust us says so and leaves


async def echoed(stream: trio.abc.Stream) -> bytes:
    await stream.send_all(b"hello")
    data = bytes(await stream.receive_some())
    await trio.aclose_forcefully(stream)
    return data


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """The machine trusts the authority while the test runs."""
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(file)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    dialing._trust.cache_clear()
    yield
    dialing._trust.cache_clear()


async def echo_tls(context: ssl.SSLContext, stream: trio.SocketStream) -> None:
    await echo(trio.SSLStream(stream, context, server_side=True))


async def test_a_plain_stream() -> None:
    async with serving(echo) as port:
        assert await echoed(await dial(Address("127.0.0.1", port, secure=False), None)) == b"hello"


async def test_tls_with_a_certificate_that_is_trusted(secure: ssl.SSLContext, trusted: None) -> None:
    async with serving(partial(echo_tls, secure)) as port:
        assert await echoed(await dial(Address("127.0.0.1", port, secure=True), None)) == b"hello"


async def test_tls_with_one_that_is_not(secure: ssl.SSLContext) -> None:
    async with serving(partial(echo_tls, secure)) as port:
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            await dial(Address("127.0.0.1", port, secure=True), None)


async def test_tls_for_another_name(secure: ssl.SSLContext, trusted: None) -> None:
    async with serving(partial(echo_tls, secure)) as port:
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            await dial(Address("localhost", port, secure=True), None)


async def test_nobody_listens() -> None:
    async with serving(echo) as port:
        pass
    with pytest.raises(Unreachable):
        await dial(Address("127.0.0.1", port, secure=False), None)


async def test_a_server_that_does_not_answer_the_handshake_is_given_up(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with serving(_silent) as port:
        with pytest.raises(Unreachable, match="TooSlow"):
            await dial(Address("127.0.0.1", port, secure=True), None)
    assert trio.current_time() >= CONNECT_S


async def _silent(stream: trio.SocketStream) -> None:
    await trio.sleep_forever()


class Proxy:
    """Reads a request and answers; then it is the server."""

    def __init__(self, answer: bytes, then: Callable[[trio.SocketStream], Awaitable[None]]) -> None:
        self.asked = b""
        self._answer = answer
        self._then = then

    async def __call__(self, stream: trio.SocketStream) -> None:
        while not self.asked.endswith(b"\r\n\r\n"):
            self.asked += bytes(await stream.receive_some())
        await stream.send_all(self._answer)
        await self._then(stream)


async def test_tls_goes_through_a_tunnel(secure: ssl.SSLContext, trusted: None) -> None:
    proxy = Proxy(b"HTTP/1.1 200 here you are\r\n\r\n", partial(echo_tls, secure))
    async with serving(proxy) as port:
        way = Target.of(f"http://you:pw@127.0.0.1:{port}")
        assert await echoed(await dial(Address("127.0.0.1", 7, secure=True), way)) == b"hello"
    lines = proxy.asked.split(b"\r\n")
    assert lines[0] == b"CONNECT 127.0.0.1:7 HTTP/1.1"
    assert {b"Host: 127.0.0.1:7", b"Proxy-Authorization: Basic eW91OnB3"} <= set(lines)


async def test_a_plain_request_is_the_proxys_own() -> None:
    async with serving(echo) as port:
        way = Target.of(f"http://127.0.0.1:{port}")
        assert await echoed(await dial(Address("model.example", 80, secure=False), way)) == b"hello"


@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 Who are you\r\n\r\n", b"nonsense\r\n\r\n", b""])
async def test_a_proxy_that_refuses(answer: bytes) -> None:
    async with serving(Proxy(answer, trio.aclose_forcefully)) as port:
        with pytest.raises(Unreachable):
            await dial(Address("model.example", 443, secure=True), Target.of(f"http://127.0.0.1:{port}"))


async def test_a_socket_that_the_server_closed_is_stale() -> None:
    async with serving(trio.aclose_forcefully) as port:
        stream = await dial(Address("127.0.0.1", port, secure=False), None)
        connection = Connection(stream)
        assert isinstance(stream, trio.SocketStream)
        await trio.lowlevel.wait_readable(stream.socket)
        assert connection.is_stale
        await connection.aclose()


async def test_a_socket_that_waits_is_not() -> None:
    async with serving(echo) as port:
        connection = Connection(await dial(Address("127.0.0.1", port, secure=False), None))
        assert not connection.is_stale
        await connection.aclose()
