"""What was found: samples, and what is made of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median, quantiles
from typing import NamedTuple


class Spread(NamedTuple):
    """The middle of some samples and the quartiles around it."""

    middle: float
    low: float
    high: float
    rounds: int


def spread(values: list[float]) -> Spread:
    """The median and the quartiles. `values` is not empty."""
    if len(values) < 2:
        return Spread(values[0], values[0], values[0], len(values))
    low, _, high = quantiles(values, n=4, method="inclusive")
    return Spread(median(values), low, high, len(values))


def percentile(values: list[float], part: float) -> float:
    """The value below which `part` of all lie, the next one up."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(frozen=True, order=True)
class Metric:
    """One figure of one contestant.

    Attributes:
        name: with its unit at the end.
        at: the number that it depends on, such as connections or sessions; 0 if on none.
    """

    name: str
    at: int = 0

    def __str__(self) -> str:
        return f"{self.name} @{self.at}" if self.at else self.name


class Findings:
    """The samples of one benchmark, one a round."""

    def __init__(self) -> None:
        self.samples: dict[str, dict[Metric, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.notes: list[str] = []

    def add(self, contestant: str, name: str, value: float, at: int = 0) -> None:
        """Take a sample.

        Args:
            contestant: whose.
            name: of the metric.
            value: in the unit that the name ends with.
            at: what it depends on.
        """
        self.samples[contestant][Metric(name, at)].append(value)

    def note(self, text: str) -> None:
        """Say something that no figure says, such as why a contestant is missing."""
        self.notes.append(text)

    def values(self, contestant: str, metric: Metric) -> list[float]:
        """All samples, in the order of the rounds; empty if there are none."""
        return self.samples.get(contestant, {}).get(metric, [])

    def ratios(self, of: tuple[str, Metric], against: tuple[str, Metric]) -> list[float]:
        """Round by round, one figure over another. Rounds that lack one of them are left out."""
        pairs = zip(self.values(*of), self.values(*against), strict=False)
        return [value / base for value, base in pairs if base]
