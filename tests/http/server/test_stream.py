"""Responses that h11 does not see: what the client gets is what the long way through h11 would give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.http.server.http1 import Http1
from placet.http.server.stream import WHOLE
from tests.http.server.helpers import GET, connect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.testing import MockClock

JSON = (b"content-type", b"application/json")
HEADERS = [JSON, (b"content-length", b"2"), (b"x-empty", b"")]

REQUESTS = {
    "get": GET,
    "head": b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
    "options": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    "http-1.0": b"GET / HTTP/1.0\r\n\r\n",
    "close": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "upgrade": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    "connect": b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    "body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
    "chunks": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "half-a-body": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nabc",
    "two-in-a-packet": GET + GET,
    "a-request-and-a-half": GET + GET[:9],
    "a-request-and-junk": GET + b"\0\0 \r\n\r\n",
}


class Answers:
    """An application that answers as told, in one message or in two."""

    def __init__(
        self, *, whole: bool, status: int = 200, headers: list[tuple[bytes, bytes]] = HEADERS
    ) -> None:
        self.whole = whole
        self.head = {"status": status, "headers": headers}
        self.asked: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["method"])
        if self.whole and WHOLE in scope["extensions"]:
            await send({"type": WHOLE, **self.head, "body": b"{}"})
        else:
            await send({"type": "http.response.start", **self.head})
            await send({"type": "http.response.body", "body": b"{}"})


class Streams(Answers):
    """An application that answers in pieces, with a pause after each; `None` among them is where it fails."""

    def __init__(self, status: int, pieces: Sequence[bytes | None], pause_s: float = 0) -> None:
        super().__init__(whole=False, status=status, headers=[JSON])
        self.pieces = pieces
        self.pause_s = pause_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["method"])
        await send({"type": "http.response.start", **self.head})
        for piece in self.pieces:
            if piece is None:
                raise RuntimeError("it fails")
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await trio.sleep(self.pause_s)
        await send({"type": "http.response.body"})


async def _exchange(app: Answers, request: bytes) -> tuple[list[Any], bool, int]:
    """The events that a client sees, whether the server closed by itself, and how many requests there were."""
    async with connect(app) as client:
        await client.send(request)
        await wait_all_tasks_blocked()
        closed = client.closed.is_set()
        if not closed:
            await client.stream.send_eof()
        received = await client.read()
    return _events(received, request.split(b" ")[0]), closed, len(app.asked)


def _events(received: bytes, method: bytes) -> list[Any]:
    events: list[Any] = []
    client = h11.Connection(h11.CLIENT)
    while received:
        client.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
        client.send(h11.EndOfMessage())
        client.receive_data(received)
        while not isinstance(event := client.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                client.receive_data(b"")
                continue
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return [*events, event]  # another protocol, or an answer that has no end
            if isinstance(event, h11.Response):
                named = sorted(pair for pair in event.headers if pair[0] != b"date")
                events.append((event.status_code, event.reason, named))
            else:
                events.append(event)
        received = client.trailing_data[0]
        client = h11.Connection(h11.CLIENT)
    return events


@pytest.mark.parametrize("request_bytes", REQUESTS.values(), ids=REQUESTS.keys())
@pytest.mark.parametrize("status", [200, 204, 304, 503])
async def test_it_is_what_the_long_way_gives(
    request_bytes: bytes, status: int, autojump_clock: MockClock
) -> None:
    short = await _exchange(Answers(whole=True, status=status), request_bytes)
    long = await _exchange(Answers(whole=False, status=status), request_bytes)
    assert short == long
    assert short[2] >= 1


@pytest.mark.parametrize("request_bytes", REQUESTS.values(), ids=REQUESTS.keys())
@pytest.mark.parametrize("status", [200, 204, 304, 503])
@pytest.mark.parametrize("pieces", [[], [b""], [b"a", b"", b"bc"]], ids=["nothing", "empty", "some"])
async def test_a_response_in_pieces_is_what_h11_would_make_of_it(
    request_bytes: bytes,
    status: int,
    pieces: list[bytes],
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Streams(status, pieces)
    short = await _exchange(app, request_bytes)
    monkeypatch.setattr(Http1, "is_plain", False)
    assert await _exchange(Streams(status, pieces), request_bytes) == short
    assert app.asked


async def test_the_head_of_a_stream_goes_out_with_its_first_piece(autojump_clock: MockClock) -> None:
    async with connect(Streams(200, [b"a", b"b"], pause_s=1)) as client:
        await client.send(GET)
        first = await client.stream.receive_some(65536)
        assert first.startswith(b"HTTP/1.1 200 \r\n")
        assert first.endswith(b"\r\n\r\n1\r\na\r\n")
        assert await client.stream.receive_some(65536) == b"1\r\nb\r\n"
        assert await client.stream.receive_some(65536) == b"0\r\n\r\n"


@pytest.mark.parametrize("pieces", [[], [b"a"]], ids=["after-the-head", "after-a-piece"])
async def test_a_stream_that_breaks_off_has_no_end(
    pieces: list[bytes], autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect(Streams(200, [*pieces, None])) as client:
        await client.send(GET + GET)
        received = await client.read()
    assert received.count(b"HTTP/1.1") == len(pieces)
    assert not received.endswith(b"0\r\n\r\n")
    assert caplog.records


@pytest.mark.parametrize(
    "headers",
    [
        [JSON, (b"connection", b"close")],
        [JSON, (b"transfer-encoding", b"chunked")],
        [JSON],
        [JSON, (b"content-length", b"2"), (b"x-name", b"caf\xe9\ttab")],
    ],
    ids=["close", "chunked", "no-length", "bytes"],
)
async def test_what_an_application_says_of_framing_goes_the_long_way(
    headers: list[tuple[bytes, bytes]], autojump_clock: MockClock
) -> None:
    events, _, asked = await _exchange(Answers(whole=True, headers=headers), GET + GET)
    expected = 1 if (b"connection", b"close") in headers else 2
    assert asked == expected
    assert b"".join(event.data for event in events if isinstance(event, h11.Data)) == b"{}" * expected


@pytest.mark.parametrize(
    "pair",
    [
        (b"x-name", b"value\r\nset-cookie: a=b"),
        (b"x-name", b"value\nset-cookie: a=b"),
        (b"x-name", b"value\rset-cookie: a=b"),
        (b"x-name", b"nul\0"),
        (b"x-name\r\nset-cookie", b"a=b"),
        (b"x name", b"a"),
        (b"x: name", b"a"),
        (b"x-name:", b"a"),
        (b"", b"a"),
    ],
)
async def test_no_header_can_smuggle_in_another(
    pair: tuple[bytes, bytes], autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect(Answers(whole=True, headers=[*HEADERS, pair])) as client:
        await client.send(GET)
        await client.stream.send_eof()
        received = await client.read()
    assert b"set-cookie" not in received
    assert not received.startswith(b"HTTP/1.1 200")
    assert caplog.records


async def test_requests_in_one_packet_are_answered_in_order_one_after_the_other(
    autojump_clock: MockClock,
) -> None:
    app = Answers(whole=True)
    async with connect(app) as client:
        await client.send(GET * 5 + GET[:20])
        await wait_all_tasks_blocked()
        assert len(app.asked) == 5
        await client.send(GET[20:])
        await wait_all_tasks_blocked()
        assert len(app.asked) == 6
        assert (await client.stream.receive_some(65536)).count(b"HTTP/1.1 200 \r\n") == 6
