"""How fast the guard judges, and that a longer line costs no more for each of its characters."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path

from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.findings import percentile
from benchmarks.harness.goals import Goal
from benchmarks.harness.plot import Plot
from placet.actors.guard import Policy, judge

CORPUS = Path(__file__).parent.parent.parent / "tests" / "guard" / "corpus"
POLICY = Policy(home="/home/dev", protected=["/home/dev/.local/share/placet"])
LENGTHS = (1_000, 10_000, 100_000)
LONG = {
    "word": "echo {}".format,
    "list": "{}".format,
    "pipeline": "cat a.txt {}".format,
    "script": "cat > notes.md <<'EOT'\n{}EOT\n".format,
}
PIECES = {"word": "x", "list": "git status --short; ", "pipeline": "| sort -u ", "script": "some text here\n"}


async def run(bench: Bench) -> None:
    """The corpus line by line, then lines of each kind and length."""
    await bench.interleave({"placet": partial(_measure, bench)})


async def _measure(bench: Bench) -> None:
    judge("ls", "/work", POLICY)
    seconds = [_cpu_s(command) for command in _corpus()[:: bench.pick(1, 40)]]
    add = partial(bench.findings.add, "placet")
    add("verdicts_per_s", len(seconds) / sum(seconds))
    add("verdict_p50_ms", percentile(seconds, 0.5) * 1e3)
    add("verdict_worst_ms", max(seconds) * 1e3)
    for kind, whole in LONG.items():
        for length in bench.pick(LENGTHS, LENGTHS[:2]):
            command = whole(PIECES[kind] * (length // len(PIECES[kind])))
            repeats = max(1, 10_000 // length)
            cost_s = sum(_cpu_s(command) for _ in range(repeats)) / repeats
            add(f"long_{kind}_ns_a_character", cost_s / length * 1e9, length)


def _corpus() -> list[str]:
    return [
        json.loads(line)["command"]
        for path in sorted(CORPUS.glob("*.jsonl"))
        for line in path.read_text().strip("\n").split("\n")
    ]


def _cpu_s(command: str) -> float:
    begun = time.process_time()
    judge(command, "/work", POLICY)
    return time.process_time() - begun


BENCHMARK = Benchmark(
    "guard",
    "verdicts of the guard: how many a second over its corpus, and the cost of a character in long lines",
    run,
    tuple(
        Goal(
            f"a character of a long {kind}, 100 000 of them against 10 000",
            f"long_{kind}_ns_a_character",
            100_000,
            against="placet",
            base_at=10_000,
            most=1.3,
        )
        for kind in LONG
    ),
    "characters",
    (
        Plot(
            "guard-length",
            "A character of a long command line",
            "characters",
            "nanoseconds of CPU",
            {kind: f"long_{kind}_ns_a_character" for kind in LONG},
        ),
    ),
)
