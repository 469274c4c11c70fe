"""Memory and answers of a server whose sessions each wait, with an open stream, for a person."""

from __future__ import annotations

import json
import statistics
from typing import Any

import trio

from benchmarks.server import Server, placet

AGENT = "benchmarks.agents:waits"


async def open_stream(server: Server) -> trio.SocketStream:
    """A chat stream that has shown its prompt."""
    stream = await trio.open_tcp_stream(server.host, server.port)
    body = json.dumps({"stream": True, "messages": [{"role": "user", "content": "hi"}]}).encode()
    await stream.send_all(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: placet\r\nContent-Length: %d\r\n\r\n%s"
        % (len(body), body)
    )
    seen = b""
    while b"event: approval.request" not in seen:
        piece = await stream.receive_some(65536)
        if not piece:
            raise RuntimeError(f"the stream ended: {seen[-500:]!r}")
        seen += piece
    return stream


async def health_s(server: Server) -> float:
    """Seconds that `/health` takes on a new connection."""
    start = trio.current_time()
    stream = await trio.open_tcp_stream(server.host, server.port)
    async with stream:
        await stream.send_all(b"GET /health HTTP/1.1\r\nHost: placet\r\nConnection: close\r\n\r\n")
        while await stream.receive_some(65536):
            pass
    return trio.current_time() - start


async def measure(server: Server, count: int) -> dict[str, Any]:
    """Open `count` streams, ten at a time, and look at the server."""
    await (await open_stream(server)).aclose()
    before = server.rss_bytes
    streams: list[trio.SocketStream] = []
    gate = trio.CapacityLimiter(10)

    async def one() -> None:
        async with gate:
            streams.append(await open_stream(server))

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(one)
    after = server.rss_bytes
    answers = sorted([await health_s(server) for _ in range(50)])
    for stream in streams:
        await stream.aclose()
    return {
        "streams": count,
        "rss_start_mb": round(before / 1e6, 1),
        "rss_more_mb": round((after - before) / 1e6, 1),
        "kib_a_stream": round((after - before) / count / 1024, 1),
        "health_ms_median": round(statistics.median(answers) * 1000, 1),
        "health_ms_worst": round(answers[-1] * 1000, 1),
    }


def run(*, quick: bool) -> dict[str, Any]:
    """The benchmark. Quick: a tenth of the streams."""
    with placet(agent=AGENT) as server:
        return trio.run(measure, server, 100 if quick else 1000)
