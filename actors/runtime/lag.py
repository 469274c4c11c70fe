"""The loop-lag monitor: how late the event loop wakes a task that sleeps.

Everything here shares one thread, so a handler that computes too long delays every stream. The lag shows it before users do.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, NoReturn

import trio

# Ten looks a second see any stall that a person could notice, and cost nothing that can be measured.
PROBE_EVERY_S: Final = 0.1
# One minute of looks.
WINDOW: Final = 600


@dataclass(frozen=True, slots=True)
class Lag:
    """How late wake-ups were, in seconds, over the window.

    Attributes:
        p50_s: the median.
        p99_s: 99 of 100 were not later.
        max_s: the latest.
        samples: wake-ups in the window; with none the rest is 0.
    """

    p50_s: float
    p99_s: float
    max_s: float
    samples: int


class LoopLagMonitor:
    """Measures the lag for as long as `run` runs.

    Args:
        probe_every_s: seconds between two looks.
        window: looks that are remembered.
    """

    __slots__ = ("_lags", "_probe_every_s")

    def __init__(self, *, probe_every_s: float = PROBE_EVERY_S, window: int = WINDOW) -> None:
        self._probe_every_s = probe_every_s
        self._lags: deque[float] = deque(maxlen=window)

    async def run(self) -> NoReturn:
        """Measure until cancelled; what was measured stays readable."""
        while True:
            due = trio.current_time() + self._probe_every_s
            await trio.sleep_until(due)
            self._lags.append(max(0.0, trio.current_time() - due))

    def read(self) -> Lag:
        """Sum up the window."""
        lags = sorted(self._lags)
        if not lags:
            return Lag(p50_s=0.0, p99_s=0.0, max_s=0.0, samples=0)
        last = len(lags) - 1
        return Lag(p50_s=lags[last // 2], p99_s=lags[round(last * 0.99)], max_s=lags[last], samples=len(lags))
