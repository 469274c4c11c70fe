"""How long a stop takes to reach the model: from the POST until the model's socket is closed, and half a minute if it stays open.

The model has said something and is silent. The reader reads, or it does not and all buffers on the way to it are full.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Peer, Placet
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import request
from benchmarks.harness.findings import percentile
from benchmarks.harness.goals import Goal
from benchmarks.harness.model import Answer, mark, next_turn

if TYPE_CHECKING:
    from benchmarks.harness.processes import Running

BRIEF = Answer(4, silent=True)
MUCH = Answer(
    120, word="x" * 65536, silent=True
)  # more than the kernel keeps for a reader that does not read
SETTLE_S = 0.05
PATIENCE_S = 30.0


async def run(bench: Bench) -> None:
    """With a reader that reads, then with one that does not."""
    async with bench.started(Placet(), Peer()) as servers:
        reading = {
            name: partial(_measure, bench, server, "reading", BRIEF) for name, server in servers.items()
        }
        await bench.interleave(reading)
        stalled = {
            name: partial(_measure, bench, server, "stalled", bench.pick(MUCH, BRIEF))
            for name, server in servers.items()
            if name != Peer.name
        }
        await bench.interleave(stalled)


async def _measure(bench: Bench, server: Running, reader: str, answer: Answer) -> None:
    bench.model.answer = answer
    stops = {"reading": 1 if server.name == Peer.name else 40, "stalled": 10}[reader]
    took_s = [await _one(bench, server, stalled=reader == "stalled") for _ in range(bench.pick(stops, 2))]
    bench.findings.add(server.name, f"stop_{reader}_p95_ms", percentile(took_s, 0.95) * 1e3)


async def _one(bench: Bench, server: Running, *, stalled: bool) -> float:
    """Seconds from the POST until the model saw its client leave."""
    number = next_turn()
    made = await server.ask("POST", "/v1/runs", {"input": mark(number)})
    path = f"/v1/runs/{made['run_id']}"
    stop = request("POST", f"{path}/stop", {}, key=KEY)
    buffer_bytes = 4096 if stalled else 0
    async with (
        await server.watch(f"{path}/events", buffer_bytes=buffer_bytes) as watcher,
        await server.connect() as connection,
    ):
        if not stalled:
            await watcher.until(b"message.delta")
        call = await bench.model.asked(number)
        await call.spoke.wait()
        await trio.sleep(SETTLE_S)
        begun = trio.current_time()
        await connection.ask(stop)
        with trio.move_on_after(PATIENCE_S):
            await call.closed.wait()
    return call.closed_s - begun if call.closed_s else PATIENCE_S


BENCHMARK = Benchmark(
    "stops",
    "a stop, from its POST until the model's socket is closed: the reader reads, and the reader is stalled",
    run,
    (
        Goal("p95 in ms, the reader reads", "stop_reading_p95_ms", most=10),
        Goal("p95 in ms, the reader is stalled", "stop_stalled_p95_ms", most=10),
    ),
)
