"""How many admissions a second the store makes durable, and how long each waits.

The store runs in this process: it is the store alone that is measured. It is set against the same store with a commit for every
admission, and against SQLite written as fast as it goes by one thread that waits for nobody.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from itertools import count
from statistics import median
from typing import TYPE_CHECKING

import trio

from benchmarks.filling import admission
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.findings import percentile
from benchmarks.harness.goals import Goal
from benchmarks.harness.places import every_core
from benchmarks.harness.plot import Plot
from benchmarks.measures.raw_sqlite import RawWriter
from placet.actors.store import Store, open_store

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = (1, 16, 64, 256)
SECONDS = 2.0
PACED = 100
PACE_S = 0.01
TICK_S = 0.001
RAW, EACH, GROUPED = "raw-sqlite", "commit-each", "placet"
_numbers = count()


async def run(bench: Bench) -> None:
    """Every number of writers, then one that takes its time."""
    with every_core():
        for writers in bench.pick(WRITERS, (1, 32)):
            await bench.interleave({who: partial(_busy, bench, who, writers) for who in (GROUPED, EACH, RAW)})
        await bench.interleave({GROUPED: partial(_paced_store, bench), RAW: partial(_paced_raw, bench)})
        await bench.interleave({GROUPED: partial(_stall, bench)})


def _place(bench: Bench) -> Path:
    place = bench.work / f"store-{next(_numbers)}"
    place.mkdir()
    return place


async def _busy(bench: Bench, who: str, writers: int) -> None:
    seconds = bench.pick(SECONDS, 0.1)
    if who == RAW:
        with RawWriter(_place(bench) / "raw.db") as raw:
            latencies_s = await trio.to_thread.run_sync(raw.busy, writers, seconds)
    else:
        async with open_store(_place(bench)) as store:
            latencies_s = await _write(store, writers, seconds, grouped=who == GROUPED)
    add = partial(bench.findings.add, who, at=writers)
    add("admissions_per_s", len(latencies_s) / seconds)
    add("admission_p50_ms", median(latencies_s) * 1e3)
    add("admission_p99_ms", percentile(latencies_s, 0.99) * 1e3)


async def _write(store: Store, writers: int, seconds: float, *, grouped: bool) -> list[float]:
    """Some writers, each appending the next as soon as its last is durable; and how long each waited."""
    latencies_s: list[float] = []
    first = trio.Event()
    turn: AbstractAsyncContextManager[object] = nullcontext() if grouped else trio.Lock()

    async def write() -> None:
        while True:
            batch = admission(f"{id(store)}-{next(_numbers)}")
            begun = trio.current_time()
            async with turn:
                await store.append(batch)
            latencies_s.append(trio.current_time() - begun)
            first.set()

    async with trio.open_nursery() as nursery:
        for _ in range(writers):
            nursery.start_soon(write)
        await trio.sleep(seconds)
        await first.wait()  # a busy disk may take longer than the quick form gives it
        nursery.cancel_scope.cancel()
    return latencies_s


async def _paced_store(bench: Bench) -> None:
    latencies_s: list[float] = []
    async with open_store(_place(bench)) as store:
        for number in range(bench.pick(PACED, 5)):
            await trio.sleep(PACE_S)
            batch = admission(f"paced-{number}")
            begun = trio.current_time()
            await store.append(batch)
            latencies_s.append(trio.current_time() - begun)
    bench.findings.add(GROUPED, "paced_p50_ms", median(latencies_s) * 1e3)


async def _paced_raw(bench: Bench) -> None:
    with RawWriter(_place(bench) / "raw.db") as raw:
        latencies_s = await trio.to_thread.run_sync(raw.paced, bench.pick(PACED, 5), PACE_S)
    bench.findings.add(RAW, "paced_p50_ms", median(latencies_s) * 1e3)


async def _stall(bench: Bench) -> None:
    """How late the event loop is for someone who has nothing to do with the writers."""
    late_s: list[float] = []
    async with open_store(_place(bench)) as store:

        async def tick() -> None:
            due = trio.current_time()
            while True:
                due = max(due, trio.current_time()) + TICK_S
                await trio.sleep_until(due)
                late_s.append(trio.current_time() - due)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(tick)
            await _write(store, 32, bench.pick(SECONDS, 0.1), grouped=True)
            nursery.cancel_scope.cancel()
    bench.findings.add(GROUPED, "loop_stall_p99_ms", percentile(late_s, 0.99) * 1e3, 32)


BENCHMARK = Benchmark(
    "admissions",
    "admissions made durable: how many a second, and how long each waits for the disk",
    run,
    (
        Goal(
            "admissions/s, 64 writers, against a commit each", "admissions_per_s", 64, against=EACH, least=3
        ),
        Goal(
            "admissions/s, 64 writers, against raw SQLite in batches",
            "admissions_per_s",
            64,
            against=RAW,
            least=0.5,
        ),
        Goal("p50 of one paced admission, against a raw commit", "paced_p50_ms", against=RAW, most=2),
        Goal("loop stall p99 in ms, 32 writers", "loop_stall_p99_ms", 32, most=3),
    ),
    "writers",
    (
        Plot(
            "admissions-rate",
            "Admissions made durable",
            "writers",
            "admissions a second",
            {"": "admissions_per_s"},
        ),
        Plot(
            "admissions-p99",
            "How long an admission waits, p99",
            "writers",
            "milliseconds",
            {"": "admission_p99_ms"},
        ),
    ),
)
