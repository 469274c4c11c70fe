"""A stream is followed over every break, each event once and in order. No network: what the server would send is written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx2
import pytest
import trio

from placet.http.client import Arrived, Client, Following, NotReached, Refused, Target
from placet.http.client.following import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CUT = object()
"""In a body: the connection breaks here."""

SILENT = object()
"""In a body: nothing more comes, and the connection stays."""


def frame(number: int, name: str = "message.delta", *, has_id: bool = True) -> bytes:
    """One event whose text is its number."""
    tail = f"id: {number}\n" if has_id else ""
    return f'event: {name}\ndata: {{"delta": "{number}"}}\n{tail}\n'.encode()


class Body(httpx2.AsyncByteStream):
    """A response's body, piece by piece."""

    def __init__(self, pieces: tuple[object, ...]) -> None:
        self._pieces = pieces
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            await trio.lowlevel.checkpoint()
            if piece is CUT:
                raise httpx2.ReadError("reset by peer")
            if piece is SILENT:
                raise httpx2.ReadTimeout("")
            assert isinstance(piece, bytes)
            yield piece

    async def aclose(self) -> None:
        self.closed = True


@dataclass
class Server(httpx2.AsyncBaseTransport):
    """Answers with what is written down, one after the other; the last again and again.

    Attributes:
        answers: a tuple is a stream's body, a number the status of an error, an exception what connecting meets.
        asked: the `Last-Event-ID` of each request.
        bodies: what was sent.
    """

    answers: list[tuple[object, ...] | int | Exception]
    asked: list[str | None] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await trio.lowlevel.checkpoint()
        self.asked.append(request.headers.get("Last-Event-ID"))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            return httpx2.Response(answer, json={"error": {"message": "no", "code": "some_code"}})
        self.bodies.append(Body(answer))
        return httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=self.bodies[-1])


@dataclass
class Diary:
    """Notes what it is told; has enough after the event named `end`."""

    lines: list[str] = field(default_factory=list)

    def arrived(self, event: Arrived) -> bool:
        self.lines.append(str(event.data["delta"]))
        return event.name == "end"

    def lost(self, why: str) -> None:
        self.lines.append(f"lost: {why}")

    def back(self) -> None:
        self.lines.append("back")


async def follow(server: Server) -> list[str]:
    diary = Diary()
    async with Client(Target("http://127.0.0.1:1", None), server) as client:
        await Following(client, "/stream", diary).run()
    return diary.lines


LOST = "lost: No answer from http://127.0.0.1:1: "


async def test_a_cut_is_gone_over_without_a_gap_and_without_a_double(autojump_clock) -> None:
    server = Server(
        [(frame(1), frame(2), b'event: message.delta\ndata: {"de', CUT), (frame(3), frame(4, "end"))]
    )

    assert await follow(server) == ["1", "2", f"{LOST}reset by peer.", "back", "3", "4"]
    assert server.asked == [None, "2"]


async def test_of_frames_that_are_one_event_none_is_lost(autojump_clock) -> None:
    """Only the last of them carries the id, so all of them come again; who watches knows prompts by their ids."""
    server = Server([(frame(1), frame(2, has_id=False), CUT), (frame(2, "end"),)])

    assert await follow(server) == ["1", "2", f"{LOST}reset by peer.", "back", "2"]
    assert server.asked == [None, "1"]


async def test_silence_is_a_dead_connection(autojump_clock) -> None:
    assert (await follow(Server([(frame(1), SILENT), (frame(2, "end"),)])))[1] == f"{LOST}it is silent."


async def test_a_server_that_restarts_is_waited_for(autojump_clock) -> None:
    refused = httpx2.ConnectError("refused")
    going = b'event: error\ndata: {"event": "error", "code": "gateway_draining"}\n\n'
    server = Server([(frame(1), going), refused, 503, 429, (frame(2, "end"),)])

    lines = await follow(server)
    assert [line.partition(":")[0] for line in lines] == ["1", *["lost"] * 4, "back", "2"]
    assert server.asked == [None, *["1"] * 4]


async def test_what_will_not_heal_ends_it(autojump_clock) -> None:
    with pytest.raises(Refused) as refused:
        await follow(Server([404]))
    assert (refused.value.status, refused.value.code) == (404, "some_code")


async def test_a_server_that_stays_away_is_given_up(autojump_clock) -> None:
    began = trio.current_time()
    with pytest.raises(NotReached):
        await follow(Server([(frame(1), CUT), httpx2.ConnectError("refused")]))
    assert PATIENCE_S < trio.current_time() - began < PATIENCE_S + 20


async def test_with_enough_the_connection_is_closed(autojump_clock) -> None:
    server = Server([(frame(1, "end"), frame(2), frame(3))])

    assert await follow(server) == ["1"]
    assert server.bodies[0].closed


async def test_what_is_no_object_is_passed_over(autojump_clock) -> None:
    server = Server([(b"event: x\ndata: no\nid: 5\n\n", b": hi\n\n", b"id: 6\n\n", frame(7, "end"))])

    assert await follow(server) == ["7"]


async def test_a_page_that_is_no_stream_is_not_taken_for_one(autojump_clock) -> None:
    class Page(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, text="<html>")

    with pytest.raises(Refused, match="text/event-stream"):
        async with Client(Target("http://127.0.0.1:1", None), Page()) as client:
            await Following(client, "/stream", Diary()).run()


async def test_submitting_survives_a_loss_under_one_key(autojump_clock) -> None:
    keys: list[str] = []

    class Shaky(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            keys.append(request.headers["Idempotency-Key"])
            if len(keys) == 1:
                raise httpx2.ReadError("cut after it was sent")
            if len(keys) == 2:
                raise httpx2.ConnectError("it restarts")
            return httpx2.Response(503 if len(keys) == 3 else 202, json={"run_id": "r"})

    async with Client(Target("http://127.0.0.1:1", None), Shaky()) as client:
        assert await client.submit("/v1/runs", {"input": "x"}, "k") == {"run_id": "r"}
    assert keys == ["k"] * 4


async def test_nothing_is_waited_for_where_nobody_is(autojump_clock) -> None:
    began = trio.current_time()
    async with Client(Target("http://127.0.0.1:1", None), Server([httpx2.ConnectError("refused")])) as client:
        with pytest.raises(NotReached):
            await client.submit("/v1/runs", {"input": "x"}, "k")
    assert trio.current_time() == began
