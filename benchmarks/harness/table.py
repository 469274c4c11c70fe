"""Findings as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.harness.findings import Metric, spread
from benchmarks.harness.goals import Verdict

if TYPE_CHECKING:
    from benchmarks.harness.bench import Benchmark
    from benchmarks.harness.findings import Findings


def figure(value: float) -> str:
    """Three digits that count, never an exponent."""
    if value == 0:
        return "0"
    for size, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3), (0.01, 4)):
        if abs(value) >= size:
            return f"{value:,.{digits}f}"
    return f"{value:.5f}"


def tally(verdicts: list[Verdict]) -> str:
    """How many goals came out how."""
    return ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict)


def table(benchmark: Benchmark, findings: Findings) -> str:
    """What it measures, every figure (median, and the quartiles in brackets), and every goal with its verdict."""
    lines = [f"{benchmark.name}: {benchmark.measures}"]
    if benchmark.axis:
        lines.append(f"  behind @: {benchmark.axis}")
    lines += ["", *_figures(findings)]
    if benchmark.goals:
        lines += ["", *_goals(benchmark, findings)]
    return "\n".join([*lines, *(f"  note: {note}" for note in findings.notes)])


def _figures(findings: Findings) -> list[str]:
    contestants = list(findings.samples)
    metrics = dict.fromkeys(metric for of_one in findings.samples.values() for metric in of_one)
    rows = [["", *contestants]]
    rows += [[str(metric), *(_cell(findings, who, metric) for who in contestants)] for metric in metrics]
    return _aligned(rows)


def _cell(findings: Findings, who: str, metric: Metric) -> str:
    values = findings.values(who, metric)
    if not values:
        return "-"
    found = spread(values)
    if found.rounds == 1:
        return figure(found.middle)
    return f"{figure(found.middle)} [{figure(found.low)} .. {figure(found.high)}]"


def _goals(benchmark: Benchmark, findings: Findings) -> list[str]:
    rows = [["goal", "", "found", "", ""]]
    for goal in benchmark.goals:
        found = goal.found(findings)
        shown = (
            ("-", "")
            if found is None
            else (figure(found.middle), f"[{figure(found.low)} .. {figure(found.high)}]")
        )
        rows.append([goal.text, goal.bound, *shown, goal.judge(found).value])
    return _aligned(rows)


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]
