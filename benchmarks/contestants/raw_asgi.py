"""A bare ASGI application with the shapes of Placet's answers and nothing behind them. It knows nothing of Placet.

`GET /health` and `/v1/models` answer JSON; `POST /v1/chat/completions` streams an answer at once; `GET /events` subscribes to what
`POST /publish?bursts=&size=&pause_ms=` publishes, and ends with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import trio

from benchmarks.contestants.shapes import FRAME, JSON, JSON_ANSWERS, LAST, SSE, chat_frames

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

log: list[bytes] = []
news = trio.lowlevel.ParkingLot()


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The application."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["path"] in JSON_ANSWERS:
        await _whole(send, JSON_ANSWERS[scope["path"]])
    elif scope["path"] == "/v1/chat/completions":
        await _read(receive)
        await _begin(send)
        for frame in chat_frames(16):
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    elif scope["path"] == "/events":
        await _follow(send)
    else:
        await _read(receive)
        await _publish(
            {name: int(value[0]) for name, value in parse_qs(scope["query_string"].decode()).items()}
        )
        await _whole(send, b"{}")


async def _lifespan(receive: Receive, send: Send) -> None:
    for word in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{word}.complete"})


async def _read(receive: Receive) -> None:
    while (await receive()).get("more_body"):
        pass


async def _begin(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": SSE})


async def _whole(send: Send, body: bytes) -> None:
    headers = [*JSON, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _follow(send: Send) -> None:
    """Everything that is new goes out in one write, as Placet does it."""
    await _begin(send)
    await send({"type": "http.response.body", "body": b": open\n\n", "more_body": True})
    place, fresh = len(log), [b""]
    while fresh[-1] is not LAST:
        while place == len(log):
            await news.park()
        fresh = log[place:]
        place = len(log)
        await send({"type": "http.response.body", "body": b"".join(fresh), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _publish(wanted: dict[str, int]) -> None:
    for _ in range(wanted["bursts"]):
        _tell([FRAME] * wanted["size"])
        await trio.sleep(wanted["pause_ms"] / 1000)
    _tell([LAST])


def _tell(frames: list[bytes]) -> None:
    log.extend(frames)
    news.unpark_all()
