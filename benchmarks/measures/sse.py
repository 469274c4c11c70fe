"""What an event costs on its way to those who watch: one write each, and many at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from benchmarks.contestants import Placet, RawAsgi
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import Connection, request
from benchmarks.harness.goals import Goal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from benchmarks.harness.processes import Running

STREAMS = (1, 200)
EVENT = b"\nid: "
END = b": stream closed"
# Bursts, events in each, and the pause behind it: long enough for every stream to have had its write.
PLANS = {
    ("one_write_each", 1): (400, 1, 5),
    ("one_write_each", 200): (50, 1, 40),
    ("batched", 1): (50, 128, 10),
    ("batched", 200): (10, 128, 60),
}


async def run(bench: Bench) -> None:
    """Both ways to both numbers of streams."""
    async with bench.started(Placet("benchmarks.agents:speaks"), RawAsgi()) as servers:
        for (kind, streams), plan in PLANS.items():
            streams = min(streams, bench.pick(200, 8))
            measures: dict[str, Callable[[], Awaitable[None]]] = {}
            for name, server in servers.items():
                begin = _publish if name == "raw-asgi" else _speak
                measures[name] = partial(_measure, bench, server, begin, kind, streams, plan)
            await bench.interleave(measures)


async def _speak(server: Running, plan: tuple[int, int, int]) -> tuple[str, Callable[[], Awaitable[object]]]:
    """A run that waits for a yes: where its events are, and how it begins."""
    made: Any = await server.ask("POST", "/v1/runs", {"input": " ".join(map(str, plan))})
    run = f"/v1/runs/{made['run_id']}"
    async with await server.connect() as watcher:
        await watcher.send(request("GET", f"{run}/events", key=KEY))
        await watcher.until(b"approval.request")
    return f"{run}/events", partial(server.ask, "POST", f"{run}/approval", {"choice": "once"})


async def _publish(
    server: Running, plan: tuple[int, int, int]
) -> tuple[str, Callable[[], Awaitable[object]]]:
    bursts, size, pause_ms = plan
    path = f"/publish?bursts={bursts}&size={size}&pause_ms={pause_ms}"
    return "/events", partial(server.ask, "POST", path)


async def _measure(
    bench: Bench,
    server: Running,
    begin: Callable[[Running, tuple[int, int, int]], Awaitable[tuple[str, Callable[[], Awaitable[object]]]]],
    kind: str,
    streams: int,
    plan: tuple[int, int, int],
) -> None:
    bursts, size, pause_ms = plan
    plan = (max(2, bursts // bench.pick(1, 50)), size, pause_ms)
    events, go = await begin(server, plan)
    watchers: list[Connection] = []
    for _ in range(streams):
        watcher = await server.connect()
        watchers.append(watcher)
        await watcher.send(request("GET", events, key=KEY))
        await watcher.until(b"approval.request" if begin is _speak else b": open")
    seen: list[int] = []

    async def watch(watcher: Connection) -> None:
        async with watcher:
            seen.append((await watcher.until(END)).count(EVENT))

    await trio.sleep(0.05)  # the server comes to rest
    cpu_s, begun = server.cpu_s, trio.current_time()
    async with trio.open_nursery() as nursery:
        for watcher in watchers:
            nursery.start_soon(watch, watcher)
        await go()
    delivered = sum(seen)
    if min(seen) < plan[0] * plan[1]:
        raise RuntimeError(f"{server.name} lost events: {min(seen)} of {plan[0] * plan[1]}")
    bench.findings.add(server.name, f"{kind}_cpu_us", (server.cpu_s - cpu_s) / delivered * 1e6, streams)
    bench.findings.add(server.name, f"{kind}_per_s", delivered / (trio.current_time() - begun), streams)


BENCHMARK = Benchmark(
    "sse",
    "an event on its way to 1 and to 200 streams: CPU for each, one write each and many at once",
    run,
    (
        Goal(
            "CPU per event to 200 streams, one write each, against raw ASGI",
            "one_write_each_cpu_us",
            200,
            against="raw-asgi",
            most=0.55,
        ),
        Goal(
            "an event among many, against one by one, 200 streams",
            "one_write_each_cpu_us",
            200,
            against="placet",
            base="batched_cpu_us",
            least=9,
        ),
    ),
    "streams",
)
