"""A request's body, read within a limit."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from quart import Request, request
from quart_trio import QuartTrio
from werkzeug.datastructures import Headers

from placet.actors.protocol.errors import InvalidInput, PlacetError, TooLarge
from placet.http.body import read_body
from placet.http.errors import register_error_handlers, status_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 1000


class Arriving:
    """A body that arrives in chunks and tells how many were taken."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks: Iterator[bytes] = iter(chunks)
        self.taken = 0

    def __aiter__(self) -> Arriving:
        return self

    async def __anext__(self) -> bytes:
        chunk = next(self._chunks, None)
        if chunk is None:
            raise StopAsyncIteration
        self.taken += 1
        return chunk


def make_request(headers: dict[str, str], *chunks: bytes) -> Any:
    scope: Any = {"type": "http", "asgi": {"version": "3.0"}}
    made: Any = Request(
        "POST", "http", "/", b"", Headers(headers), "", "1.1", scope, send_push_promise=lambda *_: None
    )
    made.body = Arriving(list(chunks))
    return made


async def refusal(made: Any) -> PlacetError:
    with pytest.raises(PlacetError) as caught:
        await read_body(made, LIMIT)
    return caught.value


async def test_chunks_are_joined() -> None:
    assert await read_body(make_request({}, b"a", b"", b"bc"), LIMIT) == b"abc"


async def test_the_limit_itself_is_allowed() -> None:
    assert len(await read_body(make_request({"Content-Length": "1000"}, b"x" * LIMIT), LIMIT)) == LIMIT
    assert len(await read_body(make_request({}, b"x" * LIMIT), LIMIT)) == LIMIT


async def test_one_byte_more_is_refused_by_its_length_unread() -> None:
    made = make_request({"Content-Length": "1001"}, b"x" * 1001)
    assert isinstance(await refusal(made), TooLarge)
    assert made.body.taken == 0


async def test_a_body_without_length_is_counted_and_dropped_in_the_middle() -> None:
    made = make_request({}, *[b"x" * 600] * 100)
    assert isinstance(await refusal(made), TooLarge)
    assert made.body.taken == 2


@pytest.mark.parametrize("length", ["-1", "ten", "1.5", "", "9" * 30, "+5", "１"])
async def test_a_length_that_is_no_number(length: str) -> None:
    error = await refusal(make_request({"Content-Length": length}))
    assert (type(error), error.code) == (InvalidInput, "invalid_content_length")


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZIP"])
async def test_gzip_is_taken_also_byte_by_byte(coding: str) -> None:
    packed = gzip.compress(b'{"a": 1}', mtime=0)
    chunks = [packed[index : index + 1] for index in range(len(packed))]
    assert await read_body(make_request({"Content-Encoding": coding}, *chunks), LIMIT) == b'{"a": 1}'


async def test_gzip_members_follow_one_another() -> None:
    packed = gzip.compress(b"one ", mtime=0) + gzip.compress(b"two", mtime=0)
    assert await read_body(make_request({"Content-Encoding": "gzip"}, packed), LIMIT) == b"one two"


async def test_gzip_may_fill_the_limit_and_no_more() -> None:
    fits = make_request({"Content-Encoding": "gzip"}, gzip.compress(b"x" * LIMIT, mtime=0))
    assert len(await read_body(fits, LIMIT)) == LIMIT
    too_much = make_request({"Content-Encoding": "gzip"}, gzip.compress(b"x" * (LIMIT + 1), mtime=0))
    assert isinstance(await refusal(too_much), TooLarge)


async def test_a_bomb_is_never_inflated(monkeypatch: pytest.MonkeyPatch) -> None:
    inflated: list[int] = []

    class Watched:
        def __init__(self, wbits: int) -> None:
            self._real = real(wbits)

        def decompress(self, data: bytes, max_length: int) -> bytes:
            out = self._real.decompress(data, max_length)
            inflated.append(len(out))
            return out

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

    real = zlib.decompressobj
    bomb = gzip.compress(b"\0" * 500_000, mtime=0)
    assert len(bomb) < LIMIT
    monkeypatch.setattr("placet.http.body.zlib.decompressobj", Watched)
    assert isinstance(await refusal(make_request({"Content-Encoding": "gzip"}, bomb)), TooLarge)
    assert sum(inflated) == LIMIT + 1


@pytest.mark.parametrize(
    "body", [b"{}", gzip.compress(b"{}", mtime=0)[:-1], b"", gzip.compress(b"{}", mtime=0) + b"tail"]
)
async def test_what_is_no_gzip_is_refused(body: bytes) -> None:
    error = await refusal(make_request({"Content-Encoding": "gzip"}, body))
    assert (type(error), error.code) == (InvalidInput, "invalid_body")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "zstd"},
        {"Content-Encoding": "br"},
        {"Content-Encoding": "gzip, gzip"},
        {"Content-Encoding": "deflate"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": 'application/json; charset="klingon"'},
    ],
)
async def test_other_codings_and_charsets_are_415(headers: dict[str, str]) -> None:
    made = make_request(headers, b"{}")
    assert status_of(await refusal(made)) == 415
    assert made.body.taken == 0


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "nonsense", "application/json; charset=UTF-8", ""],
)
async def test_the_media_type_is_not_looked_at(kind: str) -> None:
    headers = {"Content-Type": kind, "Content-Encoding": "identity"}
    assert await read_body(make_request(headers, b"{}"), LIMIT) == b"{}"


@pytest.mark.parametrize(("size", "status"), [(LIMIT, 200), (LIMIT + 1, 413), (LIMIT * 3, 413)])
async def test_through_the_framework(size: int, status: int) -> None:
    app = QuartTrio(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LIMIT * 2
    register_error_handlers(app)

    async def length() -> str:
        return str(len(await read_body(request, LIMIT)))

    app.add_url_rule("/", view_func=length, methods=["POST"])
    response = await app.test_client().post("/", data=b"x" * size)
    assert response.status_code == status
