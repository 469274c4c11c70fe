"""The broadcast channel: one bounded log, read by many.

Publishing appends to the log and wakes whoever sleeps; it never waits for a reader and copies nothing for one. Each subscriber
holds an index into the log and takes all that is new at once. An item leaves the log when all have read it, or when the log
grows past its bounds; a subscriber that had not read it by then is cut. Being cut is no loss where the items are also stored:
the reader resumes from the store by sequence number.

Each entry counts the subscribers that will read it next. So the log is trimmed in amortised constant time, however many
subscribers there are, and a log whose readers all keep up is empty.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import trio

if TYPE_CHECKING:
    from types import TracebackType

T = TypeVar("T")

# A reader this far behind will not catch up by waiting, and reading the store again costs it one query.
MAX_ITEMS_BEHIND: Final = 256
# With ten thousand actors the logs must not be what fills the memory.
MAX_BYTES_BEHIND: Final = 1024 * 1024


class SubscriptionCut(Exception):
    """This subscriber fell too far behind. What it missed is in the store.

    Attributes:
        reason: which bound it crossed, for a person.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BroadcastClosed(Exception):
    """The broadcast has ended and everything published was delivered.

    Attributes:
        reason: what `close` was given.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Broadcast(Generic[T]):
    """The writing end: sends each published item to every subscriber.

    Args:
        max_items: items that a subscriber may be behind before it is cut.
        max_bytes: their bytes altogether. The newest item is kept whatever its size: who keeps up is never cut.
    """

    __slots__ = ("__weakref__", "_log")

    def __init__(self, *, max_items: int = MAX_ITEMS_BEHIND, max_bytes: int = MAX_BYTES_BEHIND) -> None:
        self._log: _Log[T] = _Log(max_items, max_bytes)

    @property
    def subscriber_count(self) -> int:
        """Subscriptions that are neither closed nor cut."""
        return self._log.reader_count

    @property
    def is_closed(self) -> bool:
        """Whether nothing more can be published."""
        return self._log.end_reason is not None

    def publish(self, item: T, size_bytes: int) -> None:
        """Append `item` and wake the subscribers. Synchronous; nothing is kept if nobody subscribes.

        Args:
            item: what to deliver. It is shared, so it should be immutable.
            size_bytes: its size, as counted against `max_bytes`.

        Raises:
            BroadcastClosed: the broadcast was closed.

        A loop that publishes much must checkpoint now and then, or its readers never run and are cut.
        """
        if self._log.end_reason is not None:
            raise BroadcastClosed(self._log.end_reason)
        self._log.append(item, size_bytes)

    def subscribe(self) -> Subscription[T]:
        """Start reading with the next item that is published. On a closed broadcast the first `receive` raises."""
        return Subscription(self._log)

    def close(self, reason: str) -> None:
        """End the broadcast: subscribers get what is left, then `BroadcastClosed(reason)`. The first reason stays."""
        if self._log.end_reason is None:
            self._log.end_reason = reason
            self._log.sleepers.unpark_all()


class Subscription(Generic[T]):
    """The reading end: one subscriber's place in the log. Made by `Broadcast.subscribe`, closed by its owner.

    It is a context manager, a plain `with`: closing never waits.
    """

    __slots__ = ("_closed", "_log", "_position")

    def __init__(self, log: _Log[T]) -> None:
        self._log = log
        self._position = log.join()
        self._closed = False

    def __enter__(self) -> Subscription[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def receive(self) -> list[T]:
        """Wait until there is something new. Always a checkpoint.

        Returns:
            All items published since the last call, in order; never an empty list.

        Raises:
            SubscriptionCut: this subscriber fell behind the bounds; what it had not read is gone from the log.
            BroadcastClosed: the broadcast was closed and everything was delivered.
            trio.ClosedResourceError: this subscription was closed, perhaps while this waited.

        Cancelled, it has taken nothing: the next call returns the same items.
        """
        if self._must_wait():
            while self._must_wait():
                await self._log.sleepers.park()
        else:
            await trio.lowlevel.checkpoint()
        if self._closed:
            raise trio.ClosedResourceError("this subscription was closed")
        if self._position < self._log.first:
            raise SubscriptionCut(self._log.cut_reason)
        if self._position == self._log.end and self._log.end_reason is not None:
            raise BroadcastClosed(self._log.end_reason)
        items = self._log.read(self._position)
        self._position = self._log.end
        return items

    def close(self) -> None:
        """Stop reading. Synchronous and idempotent."""
        if not self._closed:
            self._closed = True
            self._log.leave(self._position)
            self._log.sleepers.unpark_all()  # this one's own task may be among them; the others go back to sleep

    def _must_wait(self) -> bool:
        return self._position == self._log.end and self._log.end_reason is None and not self._closed


class _Entry(Generic[T]):
    """An item, and how many readers will read it next."""

    __slots__ = ("item", "readers", "size_bytes")

    def __init__(self, item: T, size_bytes: int, readers: int) -> None:
        self.item = item
        self.size_bytes = size_bytes
        self.readers = readers


class _Log(Generic[T]):
    """What the two ends share: the entries that somebody has still to read, and who sleeps until there are more.

    Attributes:
        first: index of the oldest entry; a reader whose position is below it has been cut.
        end: index of the entry to come; a reader at it has read everything.
        reader_count: readers that are neither gone nor cut.
        end_reason: why nothing more comes, once that is so.
    """

    __slots__ = (
        "_caught_up",
        "_entries",
        "_max_bytes",
        "_max_items",
        "_size_bytes",
        "end_reason",
        "first",
        "reader_count",
        "sleepers",
    )

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._entries: deque[_Entry[T]] = deque()
        self._size_bytes = 0
        self._caught_up = 0  # readers at the end: they will be the readers of the entry to come
        self.first = 0
        self.reader_count = 0
        self.end_reason: str | None = None
        self.sleepers = trio.lowlevel.ParkingLot()

    @property
    def end(self) -> int:
        return self.first + len(self._entries)

    @property
    def cut_reason(self) -> str:
        return f"more than {self._max_items} items or {self._max_bytes} bytes behind"

    def append(self, item: T, size_bytes: int) -> None:
        self._entries.append(_Entry(item, size_bytes, self._caught_up))
        self._size_bytes += size_bytes
        self._caught_up = 0
        while len(self._entries) > 1 and self._is_too_long():
            self.reader_count -= self._drop_oldest().readers
        self._trim()
        self.sleepers.unpark_all()

    def join(self) -> int:
        """Add a reader; return its position."""
        self.reader_count += 1
        self._caught_up += 1
        return self.end

    def leave(self, position: int) -> None:
        """Remove a reader that was at `position`. One that was cut is gone already."""
        if position >= self.first:
            self.reader_count -= 1
            self._move_from(position)

    def read(self, position: int) -> list[T]:
        """Return all from `position` on, and move its reader to the end."""
        items = [entry.item for entry in islice(self._entries, position - self.first, None)]
        self._move_from(position)
        self._caught_up += 1
        return items

    def _move_from(self, position: int) -> None:
        if position == self.end:
            self._caught_up -= 1
        else:
            self._entries[position - self.first].readers -= 1
            self._trim()

    def _is_too_long(self) -> bool:
        return len(self._entries) > self._max_items or self._size_bytes > self._max_bytes

    def _trim(self) -> None:
        while self._entries and not self._entries[0].readers:
            self._drop_oldest()

    def _drop_oldest(self) -> _Entry[T]:
        entry = self._entries.popleft()
        self._size_bytes -= entry.size_bytes
        self.first += 1
        return entry
