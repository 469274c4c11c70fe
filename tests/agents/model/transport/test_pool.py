"""Connections that are kept, and those that must not be."""

from __future__ import annotations

from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from placet.actors.agents.model.transport import Lost, Pool, Response, Silent, Target
from placet.actors.agents.model.transport.pool import IDLE_MAX, IDLE_S
from placet.actors.agents.model.transport.proxies import Proxies

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TARGET = Target.of("http://me:pw@model.example/v1?x=y")
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
Stapled = trio.StapledStream[Any, Any]


class Server:
    """The other end of every connection, in the order in which they are made."""

    def __init__(self) -> None:
        self.ends: list[Stapled] = []
        self.asked: list[tuple[Any, Any]] = []

    async def dial(self, *asked: Any) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        self.asked.append(asked)
        client, server = trio.testing.memory_stream_pair()
        self.ends.append(server)
        return client

    async def hears(self, at: int = -1) -> bytes:
        """A request without a body that is longer than a piece."""
        return bytes(await self.ends[at].receive_some(65536))


@asynccontextmanager
async def pool_to(server: Server, **named: str) -> AsyncIterator[Pool]:
    async with aclosing(Pool(server.dial, Proxies(named, lambda _: False), silence_s=5.0)) as pool:
        yield pool


async def ask(pool: Pool, body: bytes = b"{}") -> bytes:
    async with pool.post(TARGET, [("X-Y", "z")], lambda: body) as response:
        return await whole(response)


async def whole(response: Response) -> bytes:
    text = b""
    while piece := await response.receive():
        text += piece
    return text


async def answered(pool: Pool, server: Server, answer: bytes = OK, *, close: bool = False) -> bytes:
    """Ask once, and answer so."""
    said = b""

    async def client() -> None:
        nonlocal said
        said = await ask(pool)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(client)
        await trio.testing.wait_all_tasks_blocked()
        await server.hears()
        await server.ends[-1].send_all(answer)
        if close:
            await server.ends[-1].aclose()
    return said


async def test_a_request_is_one_write_with_all_that_it_needs() -> None:
    server = Server()
    async with pool_to(server) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(ask, pool, b'{"a":1}')
        await trio.testing.wait_all_tasks_blocked()
        head, _, body = (await server.hears()).partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        assert lines[0] == b"post /v1?x=y http/1.1"
        assert set(lines[1:]) == {b"host: model.example", b"x-y: z", b"content-length: 7"}
        assert body == b'{"a":1}'
        await server.ends[0].send_all(OK)


async def test_a_connection_is_used_again() -> None:
    server = Server()
    async with pool_to(server) as pool:
        assert [await answered(pool, server) for _ in range(3)] == [b"ok"] * 3
    assert len(server.ends) == 1
    assert await server.hears() == b""  # closed with the pool


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "close"),
    [
        (OK.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), False),
        (OK.replace(b"HTTP/1.1", b"HTTP/1.0"), False),
        (b"HTTP/1.1 200 OK\r\n\r\nok", True),
    ],
)
async def test_a_connection_that_ends_with_its_answer_is_not_kept(answer: bytes, close: bool) -> None:
    server = Server()
    async with pool_to(server) as pool:
        for _ in range(2):
            assert await answered(pool, server, answer, close=close) == b"ok"
    assert len(server.ends) == 2


async def test_what_is_said_before_the_answer_is_passed_over() -> None:
    server = Server()
    async with pool_to(server) as pool:
        assert await answered(pool, server, b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + CHUNKED) == b"ok"
        assert await answered(pool, server) == b"ok"
    assert len(server.ends) == 1


async def test_a_kept_connection_that_the_server_closed_is_replaced_unseen() -> None:
    server = Server()
    async with pool_to(server) as pool:
        await answered(pool, server)
        await server.ends[0].aclose()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, pool)
            await trio.testing.wait_all_tasks_blocked()
            await server.ends[1].send_all(OK)
    assert len(server.ends) == 2


@pytest.mark.parametrize("heard", [b"", b"HTTP/1.1 200"])
async def test_a_new_connection_that_breaks_is_lost(heard: bytes) -> None:
    server = Server()
    async with pool_to(server) as pool:
        with pytest.raises(Lost) as lost:
            await flattened(answered(pool, server, heard, close=True))
    assert lost.value.unheard == (not heard)
    assert len(server.ends) == 1


async def test_a_kept_connection_that_breaks_within_its_answer_is_lost() -> None:
    server = Server()
    async with pool_to(server) as pool:
        await answered(pool, server)
        with pytest.raises(Lost):
            await flattened(answered(pool, server, b"HTTP/1.1 200 OK\r\n", close=True))
    assert len(server.ends) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"220 smtp ready\r\n\r\n",
        OK[:-1],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000,
    ],
    ids=["no HTTP", "half a body", "no chunk", "a head without end"],
)
async def test_what_is_no_answer_is_lost_and_closed(answer: bytes) -> None:
    server = Server()
    async with pool_to(server) as pool:
        with pytest.raises(Lost):
            await flattened(answered(pool, server, answer, close=True))


async def flattened(awaitable: Any) -> Any:
    """Out of its nursery's group."""
    try:
        return await awaitable
    except* Lost as group:
        lost = group.exceptions[0]
    raise lost


async def test_a_silent_server_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    server = Server()
    async with pool_to(server) as pool:
        with pytest.raises(Silent, match="5 s"):
            await ask(pool)
        assert 4.0 <= trio.current_time() <= 5.0
        await server.hears()
        assert await server.hears() == b""


async def test_a_server_that_takes_no_request_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    async def dial(*_: Any) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        client, server = trio.testing.lockstep_stream_pair()  # without a buffer
        ends.append(server)
        return client

    ends: list[Any] = []
    async with aclosing(Pool(dial, Proxies({}, lambda _: False), silence_s=5.0)) as pool:
        with pytest.raises(Silent):
            await ask(pool)
    assert trio.current_time() == pytest.approx(5.0)


async def test_silence_is_counted_from_the_last_piece(autojump_clock: trio.testing.MockClock) -> None:
    server = Server()
    async with pool_to(server) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(_answer_slowly, server)
        assert await ask(pool) == b"ok"


async def _answer_slowly(server: Server) -> None:
    for piece in (OK[:-2], OK[-2:-1], OK[-1:]):
        await trio.sleep(3.9)
        await server.ends[0].send_all(piece)


async def test_one_that_is_left_early_is_closed() -> None:
    server = Server()

    async def leave(pool: Pool) -> None:
        async with pool.post(TARGET, [], bytes) as response:
            assert response.status == 200

    async with pool_to(server) as pool:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(leave, pool)
            await trio.testing.wait_all_tasks_blocked()
            await server.hears()
            await server.ends[0].send_all(OK)
        assert await server.hears() == b""


async def test_one_that_is_cancelled_is_closed() -> None:
    server = Server()
    async with pool_to(server) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(ask, pool)
        await trio.testing.wait_all_tasks_blocked()
        await server.hears()
        await server.ends[0].send_all(OK[:-1])
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert await server.hears() == b""


async def test_what_has_been_kept_for_long_is_closed(autojump_clock: trio.testing.MockClock) -> None:
    server = Server()
    async with pool_to(server) as pool:
        await answered(pool, server)
        await trio.sleep(IDLE_S)
        await answered(pool, server)
        assert await server.hears(0) == b""
    assert len(server.ends) == 2


async def test_only_so_many_are_kept() -> None:
    server = Server()
    async with pool_to(server) as pool:
        for _ in range(2):
            async with trio.open_nursery() as nursery:
                for _ in range(IDLE_MAX + 1):
                    nursery.start_soon(ask, pool)
                await trio.testing.wait_all_tasks_blocked()
                for end in server.ends:
                    with suppress(trio.BrokenResourceError):  # the one that was not kept
                        await end.send_all(OK)
    assert len(server.ends) == IDLE_MAX + 2


async def test_a_closed_pool_is_not_asked() -> None:
    server = Server()
    async with pool_to(server) as pool, trio.open_nursery() as nursery:
        nursery.start_soon(ask, pool)
        await trio.testing.wait_all_tasks_blocked()
        await pool.aclose()
        with pytest.raises(RuntimeError, match="closed"):
            await ask(pool)
        await server.ends[0].send_all(OK)
    await server.hears()
    assert await server.hears() == b""  # what was under way is not kept either


async def test_a_proxy_is_asked_for_the_whole_url() -> None:
    server = Server()
    async with pool_to(server, http="http://you:pw@proxy:3128") as pool, trio.open_nursery() as nursery:
        nursery.start_soon(ask, pool)
        await trio.testing.wait_all_tasks_blocked()
        lines = (await server.hears()).split(b"\r\n")
        assert lines[0] == b"POST http://model.example/v1?x=y HTTP/1.1"
        assert b"Proxy-Authorization: Basic eW91OnB3" in lines
        await server.ends[0].send_all(OK)
    assert server.asked == [(TARGET.address, Target.of("http://you:pw@proxy:3128"))]
