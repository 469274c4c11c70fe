"""Where a body ends."""

from __future__ import annotations

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.actors.agents.model.transport.body import (
    LINE_BYTES,
    Body,
    Chunked,
    Malformed,
    Open,
    Sized,
    body_of,
)


def fed(body: Body, data: bytes, step: int) -> bytes:
    whole = b""
    for start in range(0, len(data), step):
        if body.done:
            return whole
        whole += body.feed(data[start : start + step])
    return whole


@given(
    st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    st.sampled_from([b"", b";a=b", b" \t;x", b" "]),
    st.sampled_from([b"", b"A: b\r\n", b"A: b\r\nC: d\r\n"]),
    st.booleans(),
    st.integers(1, 50),
)
def test_chunks_are_put_together_however_they_are_cut(
    chunks: list[bytes], more: bytes, trailers: bytes, zeros: bool, step: int
) -> None:
    sizes = [b"00%X" % len(chunk) if zeros else b"%x" % len(chunk) for chunk in chunks]
    data = b"".join(
        size + more + b"\r\n" + chunk + b"\r\n" for size, chunk in zip(sizes, chunks, strict=True)
    )
    body = Chunked()
    assert fed(
        body, data + (b"000" if zeros else b"0") + more + b"\r\n" + trailers + b"\r\n", step
    ) == b"".join(chunks)
    assert body.done
    assert body.rest == b""


@pytest.mark.parametrize(
    "data",
    [
        b"zz\r\n",
        b"-1\r\n",
        b"0x5\r\nhello\r\n",
        b"\r\n5\r\nhello",
        b"5\nhello\n",
        b"5\r\nhello5\r\n",
        b"5\r\nhello\n0\r\n",
        b"5\r\nhello\r0\r\n",
        b"10000000000000000\r\n",
        b"5;" + b"x" * LINE_BYTES,
        b"0\r\nA: " + b"x" * LINE_BYTES,
        b"0\r\nA\nB\r\n\r\n"[:4] + b"\n\n",
    ],
)
@pytest.mark.parametrize("step", [1, 10_000])
def test_what_is_no_chunk_is_refused(data: bytes, step: int) -> None:
    with pytest.raises(Malformed):
        fed(Chunked(), data, step)


@given(st.binary(max_size=60), st.integers(1, 60))
def test_any_bytes_are_taken_apart_as_h11_does(data: bytes, step: int) -> None:
    ours, theirs = Chunked(), _h11_body()
    try:
        said = fed(ours, data, step)
    except Malformed:
        return  # as strict at the least
    assert (said, ours.done) == theirs(data)


@given(st.text("05aA;\r\n x", max_size=24), st.integers(1, 24))
def test_what_looks_like_chunks_is_taken_apart_as_h11_does(text: str, step: int) -> None:
    test_any_bytes_are_taken_apart_as_h11_does.hypothesis.inner_test(text.encode(), step)  # type: ignore[attr-defined]


def _h11_body():
    def read(data: bytes) -> tuple[bytes, bool]:
        client = h11.Connection(h11.CLIENT)
        client.send(h11.Request(method="POST", target="/", headers=[("Host", "x")]))
        client.send(h11.EndOfMessage())
        client.receive_data(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + data)
        said = b""
        client.next_event()
        while isinstance(event := client.next_event(), h11.Data):
            said += event.data
        return said, isinstance(event, h11.EndOfMessage)

    return read


@pytest.mark.parametrize("step", [1, 3, 100])
def test_a_length_is_kept_to(step: int) -> None:
    body = Sized(5)
    assert fed(body, b"hello", step) == b"hello"
    assert body.done
    longer = Sized(2)
    assert longer.feed(b"hello") == b"he"
    assert longer.rest == b"llo"


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (200, [], Open),
        (200, [("Content-Length", "5")], Sized),
        (200, [("Transfer-Encoding", "chunked")], Chunked),
        (200, [("Transfer-Encoding", "chunked"), ("Content-Length", "5")], Chunked),
        (204, [("Transfer-Encoding", "chunked")], Sized),
        (304, [], Sized),
    ],
)
def test_the_head_says_which(status: int, headers: list[tuple[str, str]], kind: type) -> None:
    body = body_of(h11.Response(status_code=status, headers=headers))
    assert isinstance(body, kind)
    assert body.done == (status != 200)
