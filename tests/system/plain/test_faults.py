"""Each fault of hypercorn and quart-trio that a stranger can use, without the repair and with it.

A test that fails for `plain` alone says that upstream has mended the fault, so that the repair may go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.system.plain.server import Kind, get, many, post, read_to_end, reset, running

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow]

both = pytest.mark.parametrize("kind", ["hardened", "plain"])

LIMITS = {
    "head_s": 0.5,
    "body_idle_s": 0.5,
    "send_s": 0.5,
    "drain_send_s": 0.2,
    "linger_s": 0.3,
    "probe_s": 0.1,
}

UPGRADE = get(
    "/health",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: bKdPyn3u98cTfZJSh4TNeQ==",
)


async def _next_tick(stream: trio.SocketStream) -> bytes:
    with trio.fail_after(3):
        return bytes(await stream.receive_some(65536))


@both
async def test_one_byte_after_an_upgrade_ends_only_its_own_connection(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path) as server:
        other = await server.connect(get("/events"))
        await _next_tick(other)
        await server.connect(UPGRADE + b"x")
        if kind == "plain":
            assert await server.exits() == 1
            return
        received, closed = await read_to_end(await server.connect(UPGRADE + b"x"))
        assert received.startswith(b"HTTP/1.1 400")
        assert closed
        assert b"data:" in await _next_tick(other) + await _next_tick(other)
        assert await server.exits(wait_s=0) is None


@both
async def test_connection_close_closes(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path) as server:
        before = await server.stats()
        ends = 0
        streams: list[trio.SocketStream] = []

        async def ask() -> None:
            nonlocal ends
            streams.append(stream := await server.connect(get("/health", "Connection: close")))
            received, closed = await read_to_end(stream, wait_s=1)
            assert b'"ok"' in received
            ends += closed

        await many(40, 20, ask)
        assert ends == (40 if kind == "hardened" else 0)
        settled = await server.settles(wait_s=1, descriptors=before["descriptors"] + 10)
        assert settled is (kind == "hardened")


@both
async def test_an_idle_connection_ends(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path, keep_alive_s=0.5) as server:
        _, closed = await read_to_end(await server.connect(get("/health")), wait_s=2)
        assert closed is (kind == "hardened")


@both
async def test_a_peer_that_stops_reading_is_dropped(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path, limits=LIMITS) as server:
        await server.connect(get("/events?size=65536&wait=0"), receive_buffer=4096)
        await trio.sleep(0.3)
        assert await server.settles(wait_s=2, streams=0) is (kind == "hardened")


@both
async def test_a_peer_that_stops_reading_does_not_hold_the_shutdown(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path, limits=LIMITS | {"send_s": 30}) as server:
        await server.connect(get("/events?size=65536&wait=0"), receive_buffer=4096)
        await trio.sleep(1)
        assert await server.stop(wait_s=3) == (0 if kind == "hardened" else None)


@pytest.mark.parametrize("timeout", [None, "default"], ids=["repaired", "default"])
async def test_a_stream_may_be_longer_than_the_response_timeout(timeout: str | None, tmp_path: Path) -> None:
    """The repair is the application's: `response.timeout = None`."""
    settings = {"response_timeout_s": 0.5, "stream_timeout_s": timeout}
    async with running("hardened", tmp_path, **settings) as server:
        received, closed = await read_to_end(
            await server.connect(get("/events?count=6", "Connection: close"))
        )
        assert closed
        assert (received.count(b"data:") == 6 and received.endswith(b"0\r\n\r\n")) is (timeout is None)


@both
async def test_a_peer_that_shuts_its_side_after_a_request_gets_its_answer(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path) as server:
        stream = await server.connect(post("/echo?wait=0.5", b"the body"))
        await stream.send_eof()
        received, _ = await read_to_end(stream, wait_s=2)
        assert received.endswith(b"the body") is (kind == "hardened")


@both
async def test_a_peer_that_has_left_is_found_out_by_the_next_heartbeats(kind: Kind, tmp_path: Path) -> None:
    """With a request pipelined behind the stream, hypercorn alone keeps the connection for ever."""
    async with running(kind, tmp_path, limits=LIMITS) as server:
        before = await server.stats()

        async def leave() -> None:
            stream = await server.connect(get("/events") + get("/health"))
            await _next_tick(stream)
            await stream.aclose()

        await many(20, 20, leave)
        settled = await server.settles(streams=0, descriptors=before["descriptors"] + 5)
        assert settled is (kind == "hardened")


@both
async def test_a_slow_head_is_refused(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path, keep_alive_s=30, limits=LIMITS) as server:
        stream = await server.connect(get("/health") + get("/health")[:-2])
        received, closed = await read_to_end(stream, wait_s=2)
        assert closed is (kind == "hardened")
        assert (b"HTTP/1.1 408" in received) is (kind == "hardened")


@both
async def test_a_body_that_stops_is_given_up(kind: Kind, tmp_path: Path) -> None:
    async with running(kind, tmp_path, keep_alive_s=30, limits=LIMITS) as server:
        streams = [await server.connect(post("/echo", b"only ten b", length=1000)) for _ in range(20)]
        _, closed = await read_to_end(streams[-1], wait_s=2)
        assert closed is (kind == "hardened")
        stats = await server.stats()
        assert stats["disconnects"] == (20 if kind == "hardened" else 0)


async def test_rude_clients_leave_nothing_behind(tmp_path: Path) -> None:
    async with running("hardened", tmp_path) as server:
        before = await server.stats()

        async def read_and_reset() -> None:
            stream = await server.connect(get("/events?wait=0.01"))
            await _next_tick(stream)
            await reset(stream)

        async def come_and_go() -> None:
            await (await server.connect()).aclose()

        async def half_a_head() -> None:
            await reset(await server.connect(get("/health")[:-10]))

        async def junk() -> None:
            await read_to_end(await server.connect(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(many, 200, 20, read_and_reset)
            for rude in (come_and_go, half_a_head, junk):
                nursery.start_soon(many, 50, 20, rude)
        assert await server.settles(
            wait_s=5, streams=0, tasks=before["tasks"] + 5, descriptors=before["descriptors"] + 5
        )
        assert (await server.stats())["pid"] == before["pid"]
        assert "Traceback" not in server.log


async def test_slow_senders_do_not_slow_the_others(tmp_path: Path) -> None:
    async with running("hardened", tmp_path, limits=LIMITS | {"head_s": 2, "body_idle_s": 2}) as server:
        before = await server.stats()
        for sent in (get("/health")[:-5], post("/echo", b"only ten b", length=1000)):
            for _ in range(100):
                await server.connect(sent)
        with trio.fail_after(
            10
        ):  # one after the other they would take minutes; a busy machine takes its time
            for _ in range(20):
                await server.stats()
        assert await server.settles(wait_s=5, descriptors=before["descriptors"] + 5)


NOTHING = b""
"""What a stream has said whose body has not begun: its head goes out with the first of that."""


async def _expect_end(stream: trio.SocketStream, last: bytes) -> None:
    received, closed = await read_to_end(stream, wait_s=5)
    assert closed
    assert received.endswith(last)
    assert (received == NOTHING) == (last == NOTHING)


async def test_sigterm_ends_open_streams_between_frames(tmp_path: Path) -> None:
    async with running("hardened", tmp_path) as server:
        quiet = [await server.connect(get("/events?wait=3600")) for _ in range(10)]
        busy = [await server.connect(get("/events?size=1000&wait=0.001")) for _ in range(10)]
        idle = await server.connect(get("/health"))
        for stream in busy:
            await _next_tick(stream)
        async with trio.open_nursery() as nursery:
            for stream in quiet:
                nursery.start_soon(_expect_end, stream, NOTHING)
            for stream in busy:
                nursery.start_soon(_expect_end, stream, b"x\n\n\r\n")
            assert await server.stop(wait_s=4) == 0
        assert (await read_to_end(idle))[1]
        assert "Traceback" not in server.log
