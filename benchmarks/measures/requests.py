"""What a request costs that does nothing: health, and the list of models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.contestants import Minimal, Peer, Placet, RawAsgi
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import request
from benchmarks.harness.findings import percentile
from benchmarks.harness.goals import Goal
from benchmarks.harness.load import load
from benchmarks.harness.plot import Plot

if TYPE_CHECKING:
    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

CONNECTIONS = (1, 32)
PATHS = {"health": "/health", "models": "/v1/models"}
OPERATIONS = {1: 800, 32: 3200}  # below the 1 000 after which hypercorn closes a connection


async def run(bench: Bench) -> None:
    """Each path at each number of connections."""
    async with bench.started(Placet(), RawAsgi(), Minimal(), Peer()) as servers:
        for what in PATHS:
            for connections in bench.pick(CONNECTIONS, (1, 4)):
                measures = {
                    name: partial(_measure, bench, server, what, connections)
                    for name, server in servers.items()
                }
                await bench.interleave(measures)


async def _measure(bench: Bench, server: Running, what: str, connections: int) -> None:
    data = request("GET", PATHS[what], key=KEY)

    async def ask(connection: Connection, _: int) -> None:
        await connection.ask(data)

    await load(server, ask, connections=connections, operations=connections)
    found = await load(
        server, ask, connections=connections, operations=bench.pick(OPERATIONS.get(connections, 0), 32)
    )
    bench.findings.add(server.name, f"{what}_per_s", found.per_s, connections)
    bench.findings.add(server.name, f"{what}_cpu_us", found.cpu_us, connections)
    bench.findings.add(server.name, f"{what}_p99_ms", percentile(found.latencies_s, 0.99) * 1e3, connections)


BENCHMARK = Benchmark(
    "requests",
    "a small request, /health and /v1/models: how many a second, and the server's CPU for each",
    run,
    tuple(
        Goal(
            f"CPU of {PATHS[what]}, {connections} connections, against raw ASGI",
            f"{what}_cpu_us",
            connections,
            against="raw-asgi",
            most=0.8,
        )
        for what in PATHS
        for connections in CONNECTIONS
    ),
    "connections",
    (
        Plot(
            "requests-cpu", "CPU of GET /health", "connections", "microseconds of CPU", {"": "health_cpu_us"}
        ),
        Plot("requests-rate", "GET /health", "connections", "requests a second", {"": "health_per_s"}),
    ),
)
