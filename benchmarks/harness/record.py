"""Findings as a file, for plots, for comparing, for whoever doubts a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.harness.plot import draw, lines_of
from benchmarks.harness.table import table

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness.bench import Benchmark
    from benchmarks.harness.findings import Findings
    from benchmarks.harness.goals import Goal


def record(benchmark: Benchmark, findings: Findings, machine: dict[str, Any], out: Path) -> Path:
    """Write `NAME.json`, every sample of every round and every goal with what was found; the table and the pictures beside it.

    Args:
        benchmark: which.
        findings: its samples.
        machine: where and with what they were made.
        out: a directory.

    Returns:
        The JSON file.
    """
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
    path.with_suffix(".txt").write_text(table(benchmark, findings) + "\n")
    for plot in benchmark.plots:
        if lines := lines_of(plot, findings):
            (out / f"{plot.name}.svg").write_text(draw(plot, lines))
    return path


def _goal(goal: Goal, findings: Findings) -> dict[str, Any]:
    found = goal.found(findings)
    shown = None if found is None else found._asdict()
    return {"goal": goal.text, "bound": goal.bound, "found": shown, "verdict": goal.judge(found).value}
