"""Room for turns: how many run at once, over all sessions."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Room:
    """Counts the turns that run and the threads that live, and calls whoever waits for a place. Synchronous throughout.

    A turn that waits for a person does not count as running, and counts again without asking once it has its answer: so more may
    run for a while than the limit says, and nobody who was answered waits in a line. Its thread, if it has one, it keeps.

    A thread counts until it has ended. That may be after its turn has: one that does not stop is left behind.

    Args:
        turns: turns that may run at once.
        threads: threads that may live at once.
        blocking: whether each turn needs one.
    """

    def __init__(self, turns: int, threads: int, *, blocking: bool = False) -> None:
        self._turns = turns
        self._threads = threads
        self._waiting: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self.blocking = blocking
        self.running = 0
        self.living = 0

    @property
    def has_thread(self) -> bool:
        """Whether one more thread may be started."""
        return self.living < self._threads

    @property
    def has_place(self) -> bool:
        """Whether one more turn may start."""
        return self.running < self._turns and (self.has_thread or not self.blocking)

    def take(self) -> Place | None:
        """A place for a turn, if there is one."""
        return Place(self) if self.has_place else None

    def force(self) -> Place:
        """A place whether or not there is one: for a turn that had it before the server went down."""
        return Place(self)

    def hold_thread(self) -> Callable[[], None]:
        """Count one more thread. Returns what is to be called, once, when it has ended."""
        self.living += 1
        return self._thread_ended

    def _thread_ended(self) -> None:
        self.living -= 1
        self.changed()

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

    __slots__ = ("_end_thread", "_given", "_pauses", "_room")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pauses = 0
        self._given = False
        self._end_thread = room.hold_thread() if room.blocking else None
        room.running += 1

    def lend_thread(self) -> Callable[[], None]:
        """The turn's thread is started: from now on it counts until what this returns is called, wherever the place is by then."""
        end_thread, self._end_thread = self._end_thread, None
        return end_thread or _nothing

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
        if self._pauses == 0:
            self._room.running -= 1
        self.lend_thread()()
        self._room.changed()


def _nothing() -> None:
    """What there is to do about a thread that there is not."""
