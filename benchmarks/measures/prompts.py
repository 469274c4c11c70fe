"""How long a prompt takes from the agent that raises it to those who watch the inbox."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Placet
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.plot import Plot

if TYPE_CHECKING:
    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

VIEWERS = (1, 10, 100)
SETTLE_S = 0.02


async def run(bench: Bench) -> None:
    """Every number of viewers."""
    async with bench.started(Placet("benchmarks.agents:waits")) as servers:
        for viewers in bench.pick(VIEWERS, (1, 10)):
            await bench.interleave(
                {name: partial(_measure, bench, server, viewers) for name, server in servers.items()}
            )


async def _measure(bench: Bench, server: Running, viewers: int) -> None:
    first_s: list[float] = []
    last_s: list[float] = []
    async with AsyncExitStack() as stack:
        watching = [
            await stack.enter_async_context(await server.watch("/v1/approvals/events"))
            for _ in range(viewers)
        ]
        for _ in range(bench.pick(20, 2)):
            seen_s = await _one(server, watching)
            first_s.append(min(seen_s))
            last_s.append(max(seen_s))
    bench.findings.add(server.name, "prompt_to_first_ms", median(first_s) * 1e3, viewers)
    bench.findings.add(server.name, "prompt_to_last_ms", median(last_s) * 1e3, viewers)


async def _one(server: Running, watching: list[Connection]) -> list[float]:
    """One prompt: seconds from its raising to each viewer."""
    seen_s: list[float] = []

    async def look(watcher: Connection) -> None:
        await watcher.until(b"raised at ")
        raised_ns = int((await watcher.until(b" "))[:-1])
        seen_s.append(trio.current_time() - _on_trio_clock(raised_ns))

    async with trio.open_nursery() as nursery:
        for watcher in watching:
            nursery.start_soon(look, watcher)
        made = await server.ask("POST", "/v1/runs", {"input": "ask"})
    await server.ask("POST", f"/v1/runs/{made['run_id']}/approval", {"choice": "deny"})
    await trio.sleep(SETTLE_S)
    return seen_s


def _on_trio_clock(monotonic_ns: int) -> float:
    """Trio counts from an offset of its own, so that nobody takes its time for the machine's."""
    return monotonic_ns / 1e9 - (time.monotonic() - trio.current_time())


BENCHMARK = Benchmark(
    "prompts",
    "a prompt on its way from the agent that raises it, over the disk, to the first and the last viewer of the inbox",
    run,
    axis="viewers",
    plots=(
        Plot(
            "prompts",
            "From a prompt's raising to those who watch the inbox",
            "viewers",
            "milliseconds",
            {"first viewer": "prompt_to_first_ms", "last viewer": "prompt_to_last_ms"},
        ),
    ),
)
