"""How long a person's yes takes: from the POST to its answer, and to the first word of the turn that went on."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Peer, Placet
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import Connection, Lost, request
from benchmarks.harness.goals import Goal
from benchmarks.harness.model import Answer, mark, next_turn

if TYPE_CHECKING:
    from benchmarks.harness.processes import Running

SETTLE_S = 0.05


async def run(bench: Bench) -> None:
    """A turn whose model wants to delete something, over and over."""
    async with bench.started(Placet(), Peer()) as servers:
        await bench.interleave({name: partial(_measure, bench, server) for name, server in servers.items()})


async def _measure(bench: Bench, server: Running) -> None:
    bench.model.answer = Answer(command=f"rm -rf {bench.work}/nothing-of-this-name")
    times = [await _one(server) for _ in range(bench.pick(5 if server.name == Peer.name else 30, 2))]
    bench.findings.add(server.name, "approval_to_200_ms", median(answered for answered, _ in times) * 1e3)
    bench.findings.add(server.name, "approval_to_text_ms", median(spoke for _, spoke in times) * 1e3)


async def _one(server: Running) -> tuple[float, float]:
    """Seconds from the POST to its 200, and to the first text."""
    made = await server.ask("POST", "/v1/runs", {"input": mark(next_turn())})
    path = f"/v1/runs/{made['run_id']}"
    yes = request("POST", f"{path}/approval", {"choice": "once"}, key=KEY)
    answered = spoke = 0.0

    async def decide(connection: Connection) -> None:
        nonlocal answered
        response = await connection.ask(yes)
        answered = trio.current_time()
        if response.status != 200:
            raise Lost(f"{server.name} did not take the answer: {response.body!r}")

    async with await server.watch(f"{path}/events") as watcher, await server.connect() as connection:
        await watcher.until(b"approval.request")
        await watcher.until(b"\n\n")
        await trio.sleep(SETTLE_S)
        begun = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(decide, connection)
            await watcher.until(b"message.delta")
            spoke = trio.current_time()
        await watcher.until(b"run.completed")
    return answered - begun, spoke - begun


BENCHMARK = Benchmark(
    "approvals",
    "a person's yes: from the POST to its 200, and to the first text of the turn that went on",
    run,
    (
        Goal("POST to its 200, against the peer", "approval_to_200_ms", against=Peer.name, most=1.5),
        Goal(
            "POST to the first text, against the peer", "approval_to_text_ms", against=Peer.name, most=1 / 6
        ),
    ),
)
