"""Measures Placet beside its peer and the limits of what it is built on."""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Minimal, Peer, RawAsgi
from benchmarks.harness.bench import Bench
from benchmarks.harness.machine import describe
from benchmarks.harness.model import open_model
from benchmarks.harness.places import DRIVER_CORE, workplace
from benchmarks.harness.record import record
from benchmarks.harness.stable import open_stable
from benchmarks.harness.table import table, tally
from benchmarks.measures import BENCHMARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.harness.bench import Benchmark
    from benchmarks.harness.goals import Verdict

LIMITS = frozenset({RawAsgi.name, Minimal.name})
ROUNDS = 5
OUT = Path("build") / "benchmarks"


async def run(
    names: Iterable[str],
    done: Callable[[Benchmark, Bench], None],
    *,
    quick: bool,
    rounds: int,
    peers: frozenset[str],
) -> None:
    """Run benchmarks, each in a directory of its own.

    Args:
        names: which.
        done: is given each with what it found.
        quick: whether only to show that they run.
        rounds: how often each contestant has its turn.
        peers: who is measured beside Placet.
    """
    with workplace() as work:
        async with open_model() as model, open_stable(keeps=quick) as stable:
            for name in names:
                place = work / name
                place.mkdir()
                bench = Bench(place, model, stable, quick, rounds, peers)
                await BENCHMARKS[name].run(bench)
                done(BENCHMARKS[name], bench)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    parser.add_argument(
        "--quick", action="store_true", help="small numbers: shows that they run, not how fast"
    )
    parser.add_argument(
        "--rounds", type=int, help=f"how often each contestant has its turn; {ROUNDS}, quick 1"
    )
    parser.add_argument(
        "--against",
        nargs="*",
        metavar="PEER",
        choices=sorted({*LIMITS, Peer.name}),
        help="who is measured beside Placet; all, and in the quick form all but the peer",
    )
    parser.add_argument("--out", type=Path, default=OUT, help=f"where JSON and plots go; {OUT}")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(BENCHMARKS):
        parser.error(f"no benchmark is called {min(unknown)}")
    return asked


def main() -> None:
    """Run what was asked for, or all."""
    asked = parse()
    asked.out.mkdir(parents=True, exist_ok=True)
    machine = describe()
    if not asked.quick:
        os.sched_setaffinity(0, DRIVER_CORE)
    print(json.dumps(machine, indent=2))
    everyone = LIMITS if asked.quick else LIMITS | {Peer.name}
    peers = everyone if asked.against is None else frozenset(asked.against)
    rounds = asked.rounds or (1 if asked.quick else ROUNDS)
    verdicts: list[Verdict] = []

    def done(benchmark: Benchmark, bench: Bench) -> None:
        print(f"\n{table(benchmark, bench.findings)}", flush=True)
        record(benchmark, bench.findings, machine, asked.out)
        verdicts.extend(goal.judge(goal.found(bench.findings)) for goal in benchmark.goals)

    names = asked.names or list(BENCHMARKS)
    trio.run(partial(run, names, done, quick=asked.quick, rounds=rounds, peers=peers))
    print(f"\ngoals: {tally(verdicts)}")


if __name__ == "__main__":
    main()
