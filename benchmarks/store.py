"""How many admissions a second the store makes durable, and how long each waits.

Each admission is what a request costs: a session, its ledger row, the message, a public id and an `Idempotency-Key`. Group
commit is compared with a commit per admission, which is the same store behind a lock.
"""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from statistics import quantiles
from typing import Any

import trio

from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput
from placet.actors.protocol.events import (
    AdmissionAccepted,
    AdmissionClaimed,
    RunNamed,
    SessionOpened,
    TextAppended,
)
from placet.actors.store import Batch, KeyFree, Store, StreamAppend, open_store

WRITERS = (1, 16, 64, 256)
INPUT = TurnInput(ChatMessage("user", (Part("text", "Please tidy the build directory. " * 6),)))


def admission(name: str) -> Batch:
    """One request's worth of events."""
    events = (
        SessionOpened(principal="api", ephemeral=True),
        AdmissionAccepted(
            admission_id=name, principal="api", surface="chat", input=INPUT, key=name, fingerprint="f" * 64
        ),
        RunNamed(run_id=f"chatcmpl-{name}", admission_id=name, surface="chat"),
    )
    return Batch((StreamAppend(f"s-{name}", events, 0),), 1.0, requires=(KeyFree("api", "chat", name),))


class Measure:
    """One run: some writers, each appending the next batch as soon as the last one is durable."""

    def __init__(self, store: Store, *, grouped: bool) -> None:
        self.store = store
        self.latencies_s: list[float] = []
        self._turn: Any = nullcontext() if grouped else trio.Lock()

    async def run(self, writers: int, seconds: float) -> None:
        """Write for that long."""
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                for writer in range(writers):
                    nursery.start_soon(self._write, f"{id(self)}-{writer}")

    async def _write(self, name: str) -> None:
        number = 0
        while True:
            batch = admission(f"{name}-{number}")
            started = trio.current_time()
            async with self._turn:
                await self.store.append(batch)
            self.latencies_s.append(trio.current_time() - started)
            number += 1

    def report(self, seconds: float) -> str:
        """Throughput and latencies as text."""
        cuts = quantiles(self.latencies_s, n=100)
        return f"{len(self.latencies_s) / seconds:8.0f}/s   p50 {cuts[49] * 1e3:7.2f} ms   p99 {cuts[98] * 1e3:7.2f} ms"


async def deltas(store: Store, seconds: float) -> str:
    """How fast one turn's text is recorded, one delta after the other."""
    await store.append(admission("deltas"))
    await store.append(
        Batch((StreamAppend("s-deltas", (AdmissionClaimed(admission_id="deltas", generation=1),), 3),), 1.0)
    )
    head = 4
    event = TextAppended(admission_id="deltas", generation=1, text="word ")
    with trio.move_on_after(seconds):
        while True:
            recorded = await store.append(
                Batch((StreamAppend("s-deltas", (event,), head),), 1.0, relaxed=True)
            )
            head = recorded[-1].seq
    return f"{(head - 4) / seconds:8.0f}/s"


async def measure_all(seconds: float) -> dict[str, Any]:
    """Every number of writers with group commit and with a commit each, then one turn's deltas."""
    found: dict[str, Any] = {}
    for writers in WRITERS:
        for kind, grouped in (("grouped", True), ("commit_each", False)):
            with tempfile.TemporaryDirectory() as directory:
                async with open_store(Path(directory)) as store:
                    measure = Measure(store, grouped=grouped)
                    await measure.run(writers, seconds)
            found[f"{kind}_{writers}"] = measure.report(seconds)
    with tempfile.TemporaryDirectory() as directory:
        async with open_store(Path(directory)) as store:
            found["deltas_of_one_turn"] = await deltas(store, seconds)
    return found


def run(*, quick: bool) -> dict[str, Any]:
    """The benchmark. Quick: a fifth of a second each, in place of three."""
    return trio.run(measure_all, 0.2 if quick else 3.0)
