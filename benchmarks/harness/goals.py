"""What a benchmark wants to see, and whether it did."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import TYPE_CHECKING

from benchmarks.harness.findings import Metric, Spread, spread

if TYPE_CHECKING:
    from benchmarks.harness.findings import Findings


class Verdict(Enum):
    """Whether a goal was met. `UNKNOWN`: it was not measured, for example because the peer is not there."""

    MET = "met"
    MISSED = "NOT MET"
    UNKNOWN = "not measured"


@dataclass(frozen=True)
class Goal:
    """A bound for a figure, or for the ratio of two.

    Attributes:
        text: what is compared, in words.
        metric: the figure.
        at: what it depends on.
        of: whose figure.
        against: whose figure it is divided by; none if the figure itself is bounded.
        base: which figure of the other's, if not the same; and
        base_at: at which number, if not the same.
        least: what it should reach.
        most: what it should not pass.
    """

    text: str
    metric: str
    at: int = 0
    of: str = "placet"
    against: str | None = None
    base: str | None = None
    base_at: int | None = None
    least: float = -inf
    most: float = inf

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"≤ {self.most:.3g}" if self.most < inf else f"≥ {self.least:.3g}"

    def found(self, findings: Findings) -> Spread | None:
        """What was found, or `None`."""
        own = (self.of, Metric(self.metric, self.at))
        if self.against is None:
            values = findings.values(*own)
        else:
            at = self.at if self.base_at is None else self.base_at
            values = findings.ratios(own, (self.against, Metric(self.base or self.metric, at)))
        return spread(values) if values else None

    def judge(self, found: Spread | None) -> Verdict:
        """Whether the median keeps the bound."""
        if found is None:
            return Verdict.UNKNOWN
        return Verdict.MET if self.least <= found.middle <= self.most else Verdict.MISSED
