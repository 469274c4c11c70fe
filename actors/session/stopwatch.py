"""Machine time: how long a turn may work, waiting for a person not counted."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stopwatch:
    """Moves a cancel scope's deadline so that pauses do not count.

    Args:
        scope: the turn's scope; cancelled when the time is used up.
        seconds: machine time that the turn may take.
    """

    __slots__ = ("_left", "_pauses", "_scope")

    def __init__(self, scope: trio.CancelScope, seconds: float) -> None:
        self._scope = scope
        self._left = seconds
        self._pauses = 0
        scope.deadline = trio.current_time() + seconds

    @property
    def used_up(self) -> bool:
        """Whether the time has run out."""
        return trio.current_time() >= self._scope.deadline

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The time inside does not count. Pauses may overlap."""
        if self._pauses == 0:
            self._left = self._scope.deadline - trio.current_time()
            self._scope.deadline = math.inf
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if self._pauses == 0:
                self._scope.deadline = trio.current_time() + self._left
