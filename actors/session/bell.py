"""A bell: it tells all who listen that there is something new, not what. That they read from the store."""

from __future__ import annotations

import trio


class Bell:
    """Counts how often it was rung.

    Whoever listens reads the count, then the store, then waits until the count has moved: nothing that was recorded before a ring
    can be missed, and the order is the store's. Several rings may wake a listener once.

    Attributes:
        rung: how often it was rung.
        closed: whether it will not be rung any more.
    """

    def __init__(self) -> None:
        self.rung = 0
        self.closed = False
        self._listeners = trio.lowlevel.ParkingLot()

    def ring(self) -> None:
        """There is something new. Synchronous."""
        self.rung += 1
        self._listeners.unpark_all()

    def close(self) -> None:
        """There will be nothing new: nobody waits any more. Idempotent and synchronous."""
        self.closed = True
        self.ring()

    async def wait_past(self, heard: int) -> None:
        """Wait until it has been rung more often than `heard` times. Always a checkpoint; cancelled, nothing is left behind."""
        await trio.lowlevel.checkpoint()
        while self.rung <= heard:
            await self._listeners.park()
