"""From figures to places on a logarithmic axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True)
class LogScale:
    """A logarithmic axis over whole decades.

    Attributes:
        low: the exponent at its start.
        high: the exponent at its end.
        start: where it starts, in pixels.
        end: where it ends.
    """

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, values: list[float], start: float, end: float) -> LogScale:
        """The axis that holds all of the values, which are above zero."""
        low, high = floor(log10(min(values))), ceil(log10(max(values)))
        return cls(low, max(high, low + 1), start, end)

    def place(self, value: float) -> float:
        """Where a value lies, in pixels."""
        part = (log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    @property
    def decades(self) -> list[float]:
        """The values with a label."""
        return [10.0**exponent for exponent in range(self.low, self.high + 1)]

    @property
    def between(self) -> list[float]:
        """The values with a fine line: 2 to 9 of each decade."""
        return [10.0**exponent * digit for exponent in range(self.low, self.high) for digit in range(2, 10)]


def label(value: float) -> str:
    """A decade in words that fit under an axis."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
