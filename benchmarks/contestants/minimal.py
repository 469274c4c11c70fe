"""`python -m benchmarks.contestants.minimal PORT`: the answers of `raw_asgi.py` from plain bytes on trio."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial

import trio

from benchmarks.contestants.shapes import JSON_ANSWERS, SSE, chat_frames

_RECEIVE_BYTES = 65536


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _whole(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )


_HEADERS = b"".join(b"%s: %s\r\n" % header for header in SSE)
_STREAM = b"HTTP/1.1 200 OK\r\n%stransfer-encoding: chunked\r\n\r\n" % _HEADERS
_ANSWERS = {path.encode(): _whole(body) for path, body in JSON_ANSWERS.items()}
_CHAT = [_chunk(frame) for frame in chat_frames(16)]


async def _serve(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):
        while data := await stream.receive_some(_RECEIVE_BYTES):
            path = data.split(b" ", 2)[1]
            if path in _ANSWERS:
                await stream.send_all(_ANSWERS[path])
                continue
            await stream.send_all(_STREAM)
            for frame in _CHAT:
                await stream.send_all(frame)
            await stream.send_all(b"0\r\n\r\n")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        trio.run(partial(trio.serve_tcp, _serve, int(sys.argv[1]), host="127.0.0.1"))
