"""What it costs to come back to a run: all of its events, or the last few."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Placet
from benchmarks.filling import fill_events
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.goals import Goal

if TYPE_CHECKING:
    from benchmarks.harness.processes import Running

EVENTS = 10_000
SHORT = 1_000
TAIL = 10


async def run(bench: Bench) -> None:
    """Runs that have ended, read from the store."""
    data = bench.work / "data"
    data.mkdir()
    sizes = bench.pick((SHORT, EVENTS), (100, 200))
    for size in sizes:
        await fill_events(data, size, f"long-{size}")
    async with bench.started(Placet("demo", {"data_dir": str(data)})) as servers:
        for size in sizes:
            await bench.interleave({name: partial(_measure, bench, s, size) for name, s in servers.items()})


async def _measure(bench: Bench, server: Running, size: int) -> None:
    add = partial(bench.findings.add, server.name, at=size)
    cpu_s, wall_s = await _read(server, size, 0)
    add("whole_ms", wall_s * 1e3)
    add("whole_cpu_us_an_event", cpu_s / size * 1e6)
    _, wall_s = await _read(server, size, size - TAIL)
    add("tail_ms", wall_s * 1e3)


async def _read(server: Running, size: int, after: int) -> tuple[float, float]:
    """CPU and wall seconds of the events behind `after`."""
    cpu_s, begun = server.cpu_s, trio.current_time()
    async with await server.watch(f"/v1/runs/run_long-{size}/events?after={after}") as stream:
        await stream.until(b": stream closed")
    return server.cpu_s - cpu_s, trio.current_time() - begun


BENCHMARK = Benchmark(
    "resume",
    f"coming back to a run of {SHORT} and of {EVENTS} events: all of them, and the last {TAIL}",
    run,
    (
        Goal(
            "CPU of an event, 10 000 against 1 000",
            "whole_cpu_us_an_event",
            EVENTS,
            against="placet",
            base_at=SHORT,
            most=1.3,
        ),
        Goal(
            "the last ten, of 10 000 against of 1 000",
            "tail_ms",
            EVENTS,
            against="placet",
            base_at=SHORT,
            most=1.3,
        ),
    ),
    "events of the run",
)
