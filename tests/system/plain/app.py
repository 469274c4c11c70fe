"""The smallest application that shows what the server under it does to its clients.

    python -m tests.system.plain.app {hardened|plain} SETTINGS

`plain` is hypercorn's own connection class, `hardened` is Placet's; all else is the same. SETTINGS is JSON:
`keep_alive_s`, `graceful_timeout_s`, `heartbeat_s`, `response_timeout_s`, `stream_timeout_s` and `limits`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config, Sockets
from hypercorn.trio.run import worker_serve
from quart import Response, request
from quart.wrappers.response import ResponseBody
from quart_trio import QuartTrio

from placet.http.server.limits import ConnectionLimits
from placet.http.server.listen import make_config, open_sockets
from placet.http.server.serve import serve

if TYPE_CHECKING:
    from types import TracebackType

SETTINGS: dict[str, Any] = {
    "keep_alive_s": 1.0,
    "graceful_timeout_s": 0.5,
    "heartbeat_s": 0.2,
    "response_timeout_s": 60.0,
    "stream_timeout_s": None,
    "limits": {},
}


class Ticks(ResponseBody):
    """An event stream: a tick per heartbeat, of `size` bytes, `count` times."""

    open = 0

    def __init__(self, count: int, size: int, heartbeat_s: float) -> None:
        self._left = count
        self._frame = b"data: " + b"x" * size + b"\n\n"
        self._heartbeat_s = heartbeat_s

    async def __aenter__(self) -> Ticks:
        Ticks.open += 1
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        Ticks.open -= 1

    def __aiter__(self) -> Ticks:
        return self

    async def __anext__(self) -> bytes:
        if self._left == 0:
            raise StopAsyncIteration
        self._left -= 1
        await trio.sleep(self._heartbeat_s)
        return self._frame


def make_app(settings: dict[str, Any]) -> QuartTrio:
    app = QuartTrio(__name__)
    app.config["RESPONSE_TIMEOUT"] = settings["response_timeout_s"]
    disconnects = 0

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/stats")
    async def stats() -> dict[str, int]:
        return {
            "pid": os.getpid(),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "tasks": _count_tasks(),
            "streams": Ticks.open,
            "disconnects": disconnects,
        }

    @app.post("/echo")
    async def echo() -> bytes:
        nonlocal disconnects
        try:
            body = await request.get_data(as_text=False)
        except BaseException:
            disconnects += 1
            raise
        await trio.sleep(float(request.args.get("wait", "0")))
        return body

    @app.post("/refuse")
    async def refuse() -> tuple[str, int]:
        return "too large", 413

    @app.get("/events")
    async def events() -> Response:
        count, size = int(request.args.get("count", "-1")), int(request.args.get("size", "10"))
        wait_s = float(request.args.get("wait", settings["heartbeat_s"]))
        response = Response(Ticks(count, size, wait_s), content_type="text/event-stream")
        if settings["stream_timeout_s"] != "default":
            response.timeout = settings["stream_timeout_s"]
        return response

    return app


def _count_tasks() -> int:
    root = trio.lowlevel.current_root_task()
    assert root is not None
    waiting, count = [root], 0
    while waiting:
        task = waiting.pop()
        count += 1
        waiting.extend(child for nursery in task.child_nurseries for child in nursery.child_tasks)
    return count


async def _stop_on_sigterm(shutdown: trio.Event) -> None:
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            shutdown.set()


async def main(kind: str, settings: dict[str, Any]) -> None:
    app = make_app(settings)
    sockets = open_sockets("127.0.0.1", 0)
    config: Config = make_config(
        keep_alive_s=settings["keep_alive_s"],
        graceful_timeout_s=settings["graceful_timeout_s"],
        limits=ConnectionLimits(**settings["limits"]),
    )
    shutdown = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_stop_on_sigterm, shutdown)
        print(sockets[0].getsockname()[1], flush=True)
        if kind == "hardened":
            await serve(app, sockets, config, shutdown=shutdown)
        else:
            await worker_serve(
                ASGIWrapper(app),
                config,
                sockets=Sockets([], sockets, []),
                shutdown_trigger=shutdown.wait,
            )
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main, sys.argv[1], SETTINGS | json.loads(sys.argv[2]))
