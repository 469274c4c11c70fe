"""One connection against every kind of peer, without a process and on a clock that jumps."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
import trio
from quart_trio import QuartTrio

from placet.http.server import Connection, ConnectionLimits
from tests.http.server.helpers import GET, Recorder, connect

if TYPE_CHECKING:
    from quart import Quart
    from trio.testing import MockClock

POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


def _quart() -> Quart:
    app = QuartTrio(__name__)

    @app.get("/")
    async def index() -> str:
        return "ok"

    return app


@pytest.mark.parametrize(
    "request_head",
    [b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"],
    ids=["connection-close", "http-1.0"],
)
async def test_closes_after_the_answer_when_asked_to(request_head: bytes, autojump_clock: MockClock) -> None:
    async with connect(_quart()) as client:
        await client.send(request_head)
        started = trio.current_time()
        answer = await client.read()
        await client.closed.wait()
        assert trio.current_time() == started
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"ok")


async def test_an_idle_connection_ends_after_its_keep_alive(autojump_clock: MockClock) -> None:
    async with connect(_quart(), keep_alive_s=5) as client:
        started = trio.current_time()
        for _ in range(2):
            await trio.sleep(4)
            await client.send(GET)
            assert (await client.stream.receive_some(65536)).startswith(b"HTTP/1.1 200")
        await client.read()
        assert trio.current_time() - started == pytest.approx(13)


async def test_a_connection_that_never_speaks_is_closed(autojump_clock: MockClock) -> None:
    async with connect(Recorder(), keep_alive_s=5) as client:
        started = trio.current_time()
        assert await client.read() == b""
        assert trio.current_time() - started == pytest.approx(5)


async def test_a_dripping_head_gets_408_thirty_seconds_after_its_first_byte(
    autojump_clock: MockClock,
) -> None:
    async with connect(Recorder()) as client, trio.open_nursery() as nursery:
        await trio.sleep(10)
        started = trio.current_time()

        async def drip() -> None:
            for byte in GET:
                await client.send(bytes([byte]))
                await trio.sleep(5)

        nursery.start_soon(drip)
        assert (await client.read()).startswith(b"HTTP/1.1 408")
        assert trio.current_time() - started == pytest.approx(30)
        nursery.cancel_scope.cancel()


async def test_a_silent_body_ends_the_connection_and_the_application_hears_of_it(
    autojump_clock: MockClock,
) -> None:
    app = Recorder()
    async with connect(app) as client:
        started = trio.current_time()
        await client.send(POST % 1000 + b"0123456789")
        await trio.sleep(20)
        await client.send(b"0123456789")
        assert await client.read() == b""
        assert trio.current_time() - started == pytest.approx(50)
        await app.ended.wait()
    assert app.told[-1]["type"] == "http.disconnect"


async def test_a_slow_application_is_not_taken_for_a_slow_sender(autojump_clock: MockClock) -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await trio.sleep(1000)
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % len(body)})

    size = 4_000_000
    async with connect(slow) as client, trio.open_nursery() as nursery:
        nursery.start_soon(client.send, POST % size + b"x" * size)
        assert (await client.stream.receive_some(65536)).startswith(b"HTTP/1.1 200")


async def test_a_peer_that_shuts_its_side_after_a_request_gets_its_answer(autojump_clock: MockClock) -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await trio.sleep(3600)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"at last"})

    async with connect(slow) as client:
        await client.send(GET)
        await client.stream.send_eof()
        assert b"at last" in await client.read()


async def test_a_peer_that_shuts_its_side_within_a_body_is_not_served(autojump_clock: MockClock) -> None:
    app = Recorder()
    async with connect(app) as client:
        await client.send(POST % 10 + b"abc")
        await client.stream.send_eof()
        assert b"200" not in await client.read()
        await app.ended.wait()
    assert app.disconnected


async def test_a_peer_that_stops_reading_is_dropped_and_the_application_hears_of_it(
    autojump_clock: MockClock,
) -> None:
    app = Recorder(body=b"x" * 10_000_000)
    async with connect(app) as client:
        started = trio.current_time()
        await client.send(GET)
        await client.closed.wait()
        assert trio.current_time() - started == pytest.approx(10)
    assert app.disconnected


async def test_a_slow_reader_that_goes_on_reading_is_served_to_the_end(autojump_clock: MockClock) -> None:
    size = 3_000_000
    async with connect(Recorder(body=b"x" * size), limits=ConnectionLimits(send_s=30)) as client:
        started = trio.current_time()
        await client.send(b"GET / HTTP/1.0\r\n\r\n")
        received = 0
        while data := await client.stream.receive_some(65536):
            received += len(data)
            await trio.sleep(4)
        assert trio.current_time() - started > 5 * 30
    assert received > size


async def test_cancelling_the_application_does_not_cut_a_frame(autojump_clock: MockClock) -> None:
    async def impatient(scope: Any, receive: Any, send: Any) -> None:
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3000000")]}
        )
        with trio.move_on_after(1):
            await send({"type": "http.response.body", "body": b"x" * 3_000_000})

    async with connect(impatient) as client:
        await client.send(GET)
        await trio.sleep(5)
        assert (await client.read()).count(b"x") == 3_000_000


async def test_an_application_that_does_not_take_the_disconnect_is_cancelled(
    autojump_clock: MockClock,
) -> None:
    app = Recorder(read_body=False, answer=False)
    async with connect(app, limits=ConnectionLimits(goodbye_s=3, linger_s=1)) as client:
        await client.send(POST % 10_000_000)
        with trio.move_on_after(1):
            await client.send(b"x" * 10_000_000)
        started = trio.current_time()
        client.connection._reading.cancel()
        await client.closed.wait()
        assert app.ended.is_set()
        assert trio.current_time() - started == pytest.approx(4)


async def test_an_answer_before_an_unread_body_ends_the_connection(autojump_clock: MockClock) -> None:
    """The body fills the application's queue, so that the end of the request has no room behind it."""

    async def refuse(scope: Any, receive: Any, send: Any) -> None:
        await trio.sleep(1)
        await send({"type": "http.response.start", "status": 413, "headers": []})
        await send({"type": "http.response.body", "body": b"too large"})

    async with connect(refuse) as client, trio.open_nursery() as nursery:
        nursery.start_soon(client.send, POST % 10_000_000 + b"x" * 10_000_000)
        assert b"too large" in await client.read()
        await client.closed.wait()


async def test_a_pipelined_request_does_not_outlive_the_peer(autojump_clock: MockClock) -> None:
    """The reader is parked on the second request, so only a failing heartbeat can show that the peer has left."""
    beats = 0

    async def stream(scope: Any, receive: Any, send: Any) -> None:
        nonlocal beats
        await send({"type": "http.response.start", "status": 200, "headers": []})
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            while True:
                await trio.sleep(10)
                beats += 1
                await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})

    async with connect(stream) as client:
        await client.send(GET + GET)
        await trio.sleep(15)
        await client.stream.aclose()
        await client.closed.wait()
    assert beats == 2


async def test_an_application_that_never_waits_lets_others_run(autojump_clock: MockClock) -> None:
    async def flood(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(160):
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    turns = 0
    async with connect(flood) as client, trio.open_nursery() as nursery:

        async def count_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await trio.lowlevel.checkpoint()

        await client.send(GET)
        await client.stream.wait_send_all_might_not_block()
        nursery.start_soon(count_turns)
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += await client.stream.receive_some(65536)
        nursery.cancel_scope.cancel()
    assert turns >= 160 // 16 // 2  # trio runs what is ready in random order, so a turn may be one late


async def test_the_shutdown_closes_an_idle_connection_at_once(autojump_clock: MockClock) -> None:
    async with connect(_quart()) as client:
        await client.send(GET)
        await client.stream.receive_some(65536)
        started = trio.current_time()
        await client.context.terminated.set()
        await client.closed.wait()
        assert trio.current_time() == started


async def test_the_shutdown_shortens_the_wait_for_a_peer_that_does_not_read(
    autojump_clock: MockClock,
) -> None:
    async with connect(Recorder(body=b"x" * 10_000_000)) as client:
        await client.send(GET)
        await trio.sleep(2)
        started = trio.current_time()
        await client.context.terminated.set()
        await client.closed.wait()
        assert trio.current_time() - started == pytest.approx(1)


async def test_a_failure_is_logged_in_one_line_and_goes_no_further(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Connection):
        async def _read_data(self) -> None:
            raise KeyError("a fault in the protocol")

    async with connect(Recorder(), kind=Failing) as client:
        await client.closed.wait()
    assert [record.getMessage() for record in caplog.records] == [
        "a connection failed and was closed: KeyError"
    ]


async def test_a_failure_during_a_cancellation_does_not_swallow_it(caplog: pytest.LogCaptureFixture) -> None:
    class FailingLate(Connection):
        async def _read_data(self) -> None:
            try:
                await trio.sleep_forever()
            finally:
                raise KeyError("a fault while being cancelled")

    with caplog.at_level(logging.WARNING):
        async with connect(Recorder(), kind=FailingLate) as client:
            await trio.testing.wait_all_tasks_blocked()
    assert not client.closed.is_set()
    assert [record.getMessage() for record in caplog.records] == [
        "a connection failed and was closed: KeyError"
    ]


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000, b"431")],
    ids=["junk", "huge-head"],
)
async def test_what_is_no_request_is_refused_and_closed(sent: bytes, status: bytes) -> None:
    async with connect(Recorder()) as client:
        await client.send(sent)
        assert (await client.read()).startswith(b"HTTP/1.1 " + status)


async def test_clear_text_http2_is_not_spoken() -> None:
    head = b"GET / HTTP/1.0\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    async with connect(Recorder()) as client:
        await client.send(head)
        assert (await client.read()).startswith(b"HTTP/1.1 200")
