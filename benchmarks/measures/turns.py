"""What a tool call adds to a turn: the same answer of 200 tokens, with a command before it and without."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.contestants import Placet
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import request
from benchmarks.harness.load import load
from benchmarks.harness.model import Answer, mark, next_turn

if TYPE_CHECKING:
    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

CONNECTIONS = (1, 8)
TURNS = 64
ANSWERS = {"plain": Answer(200), "with_call": Answer(200, command="true")}
"""By what stands in the names of the figures. The command is one that nobody is asked about."""


async def run(bench: Bench) -> None:
    """Both kinds of turn at every number of connections. What the command itself costs is its own process's."""
    async with bench.started(Placet()) as servers:
        server = servers["placet"]
        for connections in CONNECTIONS:
            await bench.interleave(
                {kind: partial(_measure, bench, server, kind, connections) for kind in ANSWERS}
            )


async def _measure(bench: Bench, server: Running, kind: str, connections: int) -> None:
    bench.model.answer = ANSWERS[kind]
    await load(server, _turn, connections=connections, operations=connections)
    found = await load(server, _turn, connections=connections, operations=bench.pick(TURNS, 8))
    bench.findings.add(server.name, f"{kind}_turns_per_s", found.per_s, connections)
    bench.findings.add(server.name, f"{kind}_turn_cpu_us", found.cpu_us, connections)


async def _turn(connection: Connection, _: int) -> None:
    """One turn, read to its end."""
    asked = [{"role": "user", "content": mark(next_turn())}]
    body = {"model": "parrot", "stream": True, "messages": asked}
    await connection.send(request("POST", "/v1/chat/completions", body, key=KEY))
    await connection.until(b"data: [DONE]")
    await connection.until(b"\r\n0\r\n\r\n")


BENCHMARK = Benchmark(
    "turns",
    "a turn of 200 tokens with a tool call and without: turns a second, CPU per turn in the server",
    run,
    axis="connections",
)
