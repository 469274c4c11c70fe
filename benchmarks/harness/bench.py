"""A benchmark, and what it is given to run."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import trio

from benchmarks.contestants import Unavailable
from benchmarks.harness.findings import Findings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    from benchmarks.contestants import Contestant
    from benchmarks.harness.goals import Goal
    from benchmarks.harness.model import Model
    from benchmarks.harness.plot import Plot
    from benchmarks.harness.processes import Running
    from benchmarks.harness.stable import Stable

T = TypeVar("T")


@dataclass(frozen=True)
class Benchmark:
    """One thing that is measured.

    Attributes:
        name: on the command line.
        measures: what, in one line.
        run: does it.
        goals: what it wants to see.
        axis: what the numbers behind an @ count; empty if there are none.
        plots: the pictures that show it.
    """

    name: str
    measures: str
    run: Callable[[Bench], Awaitable[None]]
    goals: tuple[Goal, ...] = ()
    axis: str = ""
    plots: tuple[Plot, ...] = ()


@dataclass
class Bench:
    """One run of a benchmark.

    Attributes:
        work: a directory of its own.
        model: that the agents ask.
        stable: starts contestants.
        quick: whether to show only that it runs.
        rounds: how often each contestant has its turn.
        peers: which contestants beside Placet take part.
        findings: what was found so far.
    """

    work: Path
    model: Model
    stable: Stable
    quick: bool
    rounds: int
    peers: frozenset[str]
    findings: Findings = field(default_factory=Findings)

    def pick(self, full: T, quick: T) -> T:
        """What is smaller in the quick form."""
        return quick if self.quick else full

    @asynccontextmanager
    async def started(self, *contestants: Contestant) -> AsyncIterator[dict[str, Running]]:
        """Those of the contestants that were asked for and can run, by name, running while the block runs."""
        async with AsyncExitStack() as stack:
            found: dict[str, Running] = {}
            for contestant in contestants:
                if contestant.name not in self.peers and not contestant.name.startswith("placet"):
                    continue
                place = self.work / f"{contestant.name}-{len(list(self.work.iterdir()))}"
                try:
                    server = await self.stable.start(contestant, place, self.model.url, stack)
                    found[contestant.name] = server
                except Unavailable as missing:
                    self.findings.note(str(missing))
            yield found

    async def interleave(self, measures: Mapping[str, Callable[[], Awaitable[Any]]]) -> None:
        """Let each have its turn in every round, and begin each round with another one."""
        names = list(measures)
        for number in range(self.rounds):
            for place in range(len(names)):
                await measures[names[(number + place) % len(names)]]()
                await trio.lowlevel.checkpoint()
