"""What comes from the client: in order, bounded, and the disconnect told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
from quart import request
from trio.testing import wait_all_tasks_blocked

from placet.http.body import read_body
from placet.http.json_app import JsonApp
from placet.http.server.incoming import Incoming
from tests.http.server.helpers import connect

if TYPE_CHECKING:
    from trio.testing import MockClock

GONE: Any = {"type": "http.disconnect"}


def _piece(text: bytes) -> Any:
    return {"type": "http.request", "body": text, "more_body": True}


async def test_messages_come_in_order_and_the_disconnect_is_the_last_for_ever() -> None:
    incoming = Incoming(10)
    for message in (_piece(b"a"), _piece(b"b"), GONE, _piece(b"late")):
        await incoming.put(message)
    assert [await incoming.receive() for _ in range(4)] == [_piece(b"a"), _piece(b"b"), GONE, GONE]


async def test_who_puts_waits_for_room(autojump_clock: MockClock) -> None:
    incoming = Incoming(1)
    put: list[bytes] = []

    async def sender() -> None:
        for text in (b"a", b"b"):
            await incoming.put(_piece(text))
            put.append(text)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sender)
        await wait_all_tasks_blocked()
        assert put == [b"a"]
        assert await incoming.receive() == _piece(b"a")
        await wait_all_tasks_blocked()
        assert put == [b"a", b"b"]


async def test_the_disconnect_needs_no_room_and_frees_who_waits_for_some(autojump_clock: MockClock) -> None:
    incoming = Incoming(1)
    told: list[str] = []
    incoming.on_disconnect = lambda: told.append("gone")
    await incoming.put(_piece(b"a"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(incoming.put, _piece(b"b"))
        await wait_all_tasks_blocked()
        await incoming.put(GONE)
        await incoming.put(GONE)
        assert told == ["gone"]
    assert [await incoming.receive() for _ in range(2)] == [_piece(b"a"), GONE]


@pytest.mark.parametrize("waits", [True, False], ids=["while-it-is-read", "before-it-is-read"])
async def test_half_a_body_is_never_taken_for_a_whole_one(waits: bool, autojump_clock: MockClock) -> None:
    app = JsonApp("test")
    asked, read = trio.Event(), []

    @app.post("/")
    async def take() -> str:
        asked.set()
        if not waits:
            await trio.sleep(1)
        read.append(await read_body(request, 1000))
        return "ok"

    async with connect(app) as client:
        await client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        await asked.wait()
        if waits:
            await wait_all_tasks_blocked()
        await client.stream.aclose()
        await client.closed.wait()
    assert read == []


async def test_a_handler_ends_when_its_client_leaves(autojump_clock: MockClock) -> None:
    app = JsonApp("test")
    asked, ended = trio.Event(), trio.Event()

    @app.get("/")
    async def wait() -> str:
        asked.set()
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    async with connect(app) as client:
        await client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asked.wait()
        client.connection._reading.cancel()  # what a failed write does
        await client.closed.wait()
    assert ended.is_set()
