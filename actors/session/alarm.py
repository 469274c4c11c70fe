"""The alarm clock of all sessions: one task for every time that somebody wants to be reminded of."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

_SPARE: Final = 64
"""Times that nobody waits for any more and that are kept all the same, beyond as many as there are others: a sweep looks at all."""


def _nobody() -> None:
    """Who is called for what is forgotten."""


_NOTHING: Final = (math.nan, _nobody)


class Alarm:
    """Calls back at set times of the wall clock.

    So a thousand prompts wait for a person with a place each in a list, not with a task each.

    Args:
        now: the wall clock, Unix seconds. It may be set meanwhile, so it is asked again after each sleep.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._tells: dict[str, tuple[float, Callable[[], None]]] = {}
        # A heap. What `_tells` does not have at that time is forgotten.
        self._times: list[tuple[float, str]] = []
        self._sooner = trio.Event()

    def remind(self, key: str, at: float, tell: Callable[[], None]) -> None:
        """Have `tell` called at `at`, or at once if that is past. Synchronous; calls of one time come in no order.

        Args:
            key: whose reminder it is. It replaces the one of that key.
            at: when, Unix seconds.
            tell: synchronous; may set a reminder itself. An error in it ends `run`.
        """
        self._tells[key] = (at, tell)
        heapq.heappush(self._times, (at, key))
        self._sweep()
        if self._times[0] == (at, key):
            self._sooner.set()

    def forget(self, key: str) -> None:
        """Call nobody for that key. Idempotent and synchronous; nothing is held of what would have been called."""
        self._tells.pop(key, None)
        self._sweep()

    def _sweep(self) -> None:
        if len(self._times) > 2 * len(self._tells) + _SPARE:
            self._times = [(at, key) for key, (at, _) in self._tells.items()]
            heapq.heapify(self._times)

    async def run(self) -> None:
        """Call everybody in time, until cancelled. Then nobody is called, until it runs again."""
        while True:
            self._sooner = trio.Event()
            with trio.move_on_after(self._tell_all_due()):
                await self._sooner.wait()

    def _tell_all_due(self) -> float:
        """Call who is to be called by now. Returns the seconds until the next."""
        while self._times:
            at, key = self._times[0]
            wanted, tell = self._tells.get(key, _NOTHING)
            if wanted == at and (left_s := at - self._now()) > 0:
                return left_s
            heapq.heappop(self._times)
            if wanted == at:
                del self._tells[key]
                tell()
        return math.inf
