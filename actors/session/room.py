"""Room for turns: how many run at once, over all sessions."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Room:
    """Counts the turns that run and the threads that they hold, and calls whoever waits for a place. Synchronous throughout.

    A turn that waits for a person does not count as running, and counts again without asking once it has its answer: so more may
    run for a while than the limit says, and nobody who was answered waits in a line. Its thread, if it has one, it keeps.

    Args:
        turns: turns that may run at once.
        threads: turns that may hold a thread, or `None` if the agent needs none.
    """

    def __init__(self, turns: int, threads: int | None = None) -> None:
        self._turns = turns
        self._threads = threads
        self._waiting: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self.running = 0
        self.held = 0

    @property
    def has_place(self) -> bool:
        """Whether one more turn may start."""
        return self.running < self._turns and (self._threads is None or self.held < self._threads)

    def take(self) -> Place | None:
        """A place for a turn, if there is one."""
        return Place(self) if self.has_place else None

    def force(self) -> Place:
        """A place whether or not there is one: for a turn that had it before the server went down."""
        return Place(self)

    def when_free(self, key: str, call: Callable[[], None]) -> None:
        """Call `call` once, as soon as there is a place; at once if there is. First come, first called; one call a key."""
        if self.has_place:
            call()
        else:
            self._waiting.setdefault(key, call)

    def changed(self) -> None:
        """A place may have become free: call the first that waits."""
        if self._waiting and self.has_place:
            _, call = self._waiting.popitem(last=False)
            call()


class Place:
    """One turn's place. Its owner gives it back; giving it back twice is giving it back once."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pauses = 0
        self._given = False
        room.running += 1
        room.held += 1

    def pause(self) -> None:
        """The turn waits for a person. Pauses may overlap."""
        self._pauses += 1
        if self._pauses == 1 and not self._given:
            self._room.running -= 1
            self._room.changed()

    def resume(self) -> None:
        """One wait is over."""
        self._pauses -= 1
        if self._pauses == 0 and not self._given:
            self._room.running += 1

    def give(self) -> None:
        """The turn has ended, or never started."""
        if self._given:
            return
        self._given = True
        self._room.held -= 1
        if self._pauses == 0:
            self._room.running -= 1
        self._room.changed()
