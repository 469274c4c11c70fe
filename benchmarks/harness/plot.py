"""Findings as pictures: lines over two logarithmic axes, written as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from benchmarks.harness.findings import Spread, spread
from benchmarks.harness.scale import LogScale, label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.harness.findings import Findings

WIDTH, HEIGHT = 860, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 640, 56, 400
COLOURS = ("#1b6ca8", "#c8442b", "#2e8540", "#8a4fa3", "#b07b00", "#0f8b8d", "#5c5c5c", "#d0518f")
STYLE = "text{font:13px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}.fine{stroke:#eee}.grid{stroke:#ccc}"


@dataclass(frozen=True)
class Plot:
    """One picture.

    Attributes:
        name: of the file.
        title: what it shows, in a line.
        x: what lies along the axis below.
        y: what lies along the axis at the left.
        metrics: the figures that it shows, by what a line is called; an empty name stands for its contestant's.
    """

    name: str
    title: str
    x: str
    y: str
    metrics: dict[str, str]


@dataclass(frozen=True)
class Line:
    """Points with their spread, from left to right."""

    name: str
    points: list[tuple[float, Spread]]


def lines_of(plot: Plot, findings: Findings) -> list[Line]:
    """What there is to draw: each figure of each contestant at two or more places."""
    lines: list[Line] = []
    for called, wanted in plot.metrics.items():
        for who, samples in findings.samples.items():
            points = [
                (float(metric.at), spread(values))
                for metric, values in sorted(samples.items())
                if metric.name == wanted and metric.at and min(values) > 0
            ]
            if len(points) > 1:
                lines.append(Line(called or who, points))
    return lines


def draw(plot: Plot, lines: list[Line]) -> str:
    """The picture. `lines` is not empty."""
    x = LogScale.over([at for line in lines for at, _ in line.points], LEFT, RIGHT)
    figures = [figure for line in lines for _, found in line.points for figure in (found.low, found.high)]
    y = LogScale.over(figures, BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(plot.title)}</title><style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, 30, plot.title, "title"),
        *_across(x),
        *_upwards(y),
        _text((LEFT + RIGHT) / 2, BOTTOM + 44, plot.x, anchor="middle"),
        f'<g transform="rotate(-90 22 {(TOP + BOTTOM) / 2})">',
        _text(22, (TOP + BOTTOM) / 2, plot.y, anchor="middle"),
        "</g>",
        *(part for index, line, colour in _coloured(lines) for part in _line(index, line, colour, x, y)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _coloured(lines: list[Line]) -> Iterator[tuple[int, Line, str]]:
    return (
        (index, line, colour) for index, (line, colour) in enumerate(zip(lines, cycle(COLOURS), strict=False))
    )


def _across(x: LogScale) -> Iterator[str]:
    for value in x.between:
        yield _rule(x.place(value), TOP, x.place(value), BOTTOM, "fine")
    for value in x.decades:
        yield _rule(x.place(value), TOP, x.place(value), BOTTOM, "grid")
        yield _text(x.place(value), BOTTOM + 20, label(value), anchor="middle")


def _upwards(y: LogScale) -> Iterator[str]:
    for value in y.between:
        yield _rule(LEFT, y.place(value), RIGHT, y.place(value), "fine")
    for value in y.decades:
        yield _rule(LEFT, y.place(value), RIGHT, y.place(value), "grid")
        yield _text(LEFT - 8, y.place(value) + 4, label(value), anchor="end")


def _line(index: int, line: Line, colour: str, x: LogScale, y: LogScale) -> Iterator[str]:
    """The line with a dot and a whisker (the quartiles) at each point, and its name at the right."""
    path = " ".join(f"{x.place(at):.1f},{y.place(found.middle):.1f}" for at, found in line.points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for at, found in line.points:
        place = x.place(at)
        yield f'<circle cx="{place:.1f}" cy="{y.place(found.middle):.1f}" r="3.5" fill="{colour}"/>'
        yield _rule(place, y.place(found.low), place, y.place(found.high), stroke=colour)
    top = TOP + 8 + index * 22
    yield f'<rect x="{RIGHT + 18}" y="{top}" width="14" height="4" fill="{colour}"/>'
    yield _text(RIGHT + 40, top + 7, line.name)


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str = "", *, stroke: str = "") -> str:
    look = f'class="{kind}"' if kind else f'stroke="{stroke}"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def _text(x: float, y: float, words: str, kind: str = "", *, anchor: str = "start") -> str:
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}>{escape(words)}</text>'
