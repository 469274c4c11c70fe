"""Findings as a file, for plots, for comparing, for whoever doubts a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.harness.plot import draw, lines_of

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness.bench import Benchmark
    from benchmarks.harness.findings import Findings
    from benchmarks.harness.goals import Goal


def record(benchmark: Benchmark, findings: Findings, machine: dict[str, Any], out: Path) -> Path:
    """Write `NAME.json`, every sample of every round and every goal with what was found, and the pictures beside it.

    Returns:
        The file.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{benchmark.name}.json"
    whole = {
        "benchmark": benchmark.name,
        "measures": benchmark.measures,
        "axis": benchmark.axis,
        "machine": machine,
        "notes": findings.notes,
        "goals": [_goal(goal, findings) for goal in benchmark.goals],
        "samples": {
            who: [
                {"metric": metric.name, "at": metric.at, "values": values}
                for metric, values in of_one.items()
            ]
            for who, of_one in findings.samples.items()
        },
    }
    path.write_text(json.dumps(whole, indent=1) + "\n")
    for plot in benchmark.plots:
        if lines := lines_of(plot, findings):
            (out / f"{plot.name}.svg").write_text(draw(plot, lines))
    return path


def _goal(goal: Goal, findings: Findings) -> dict[str, Any]:
    found = goal.found(findings)
    shown = None if found is None else found._asdict()
    return {"goal": goal.text, "bound": goal.bound, "found": shown, "verdict": goal.judge(found).value}
