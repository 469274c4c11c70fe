"""How long a server takes to its first answer, and what it holds then: new, and after a crash with much to recover."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Minimal, Peer, Placet, RawAsgi
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import Lost, request
from benchmarks.harness.load import load

if TYPE_CHECKING:
    from benchmarks.contestants import Contestant
    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

PROMPTS = 1_000
QUEUED_EACH = 10
MB = 1_000_000


async def run(bench: Bench) -> None:
    """New servers round by round; then one that is killed, and one that takes its place."""
    everyone: tuple[Contestant, ...] = (Placet(), RawAsgi(), Minimal(), Peer())
    contestants = bench.pick(everyone, everyone[2:3])
    await bench.interleave({each.name: partial(_start, bench, each) for each in contestants})
    await _crash(bench)


async def _start(bench: Bench, contestant: Contestant) -> None:
    async with bench.started(contestant) as servers:
        for name, server in servers.items():
            bench.findings.add(name, "start_ms", server.started_s * 1e3)
            bench.findings.add(name, "start_rss_mb", server.rss_bytes / MB)


async def _crash(bench: Bench) -> None:
    """Prompts stand open, inputs wait behind them, and the process is killed."""
    data = bench.work / "crashed"
    contestant = Placet("benchmarks.agents:waits", {"data_dir": str(data)})
    prompts = bench.pick(PROMPTS, 5)
    async with bench.started(contestant) as servers:
        await _fill(servers["placet"], prompts)
        servers["placet"].kill()
    queued = prompts * QUEUED_EACH
    async with bench.started(contestant) as servers:
        server = servers["placet"]
        bench.findings.add(server.name, "restart_ms", server.started_s * 1e3, queued)
        begun = trio.current_time()
        await _until_open(server, prompts)
        bench.findings.add(server.name, "recovered_after_ms", (trio.current_time() - begun) * 1e3, queued)
        bench.findings.add(server.name, "restart_rss_mb", server.rss_bytes / MB, queued)


async def _fill(server: Running, prompts: int) -> None:
    async def submit(connection: Connection, number: int) -> None:
        named = {"X_Session_Id": f"waits-{number % prompts}"}
        response = await connection.ask(request("POST", "/v1/runs", {"input": "ask"}, key=KEY, **named))
        if response.status != 202:
            raise Lost(f"not accepted: {response.body!r}")

    await load(server, submit, connections=32, operations=prompts * (QUEUED_EACH + 1))
    await _until_open(server, prompts)


async def _until_open(server: Running, prompts: int) -> None:
    """Wait until so many prompts are open and their turns wait in this process."""
    async with await server.watch("/v1/approvals/events") as inbox:
        for _ in range(prompts):
            await inbox.until(b"event: approval.request")


BENCHMARK = Benchmark(
    "startup",
    f"a start to the first answer, and one after kill -9 with {PROMPTS:,} open prompts and {PROMPTS * QUEUED_EACH:,} queued inputs",
    run,
    axis="queued inputs",
)
