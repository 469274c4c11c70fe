"""The bounded inbox of an actor.

Theory of operation
===================

Many tasks put, one task gets. The bound is what turns a stuck actor into an error at its senders instead of a growing heap.

 1. `offer` takes an item now or raises `MailboxFull`. It is for senders with a human or a proxy behind them, who can be told.
 2. `put` waits for room. It is for an actor's own children, whose work must not fail because the inbox is full for a moment.
 3. `post` takes an item always. It is for an actor's notes to itself: its loop is the one who makes room, so waiting for room
    would wait for ever, and each handler posts but a few.
 4. `get` pops after its last checkpoint. A getter that is cancelled has taken nothing; one that returns has taken exactly one
    item, and from then on the item is the caller's to lose.
 5. Room passes from hand to hand: when `get` makes room, the item of the longest-waiting `put` enters in the same step, and
    only then is that task woken. So nobody can slip in between, each sender's items stay in order, and there is this invariant:
    while a `put` waits, the inbox is full.
 6. `seal` ends it, without a checkpoint: items go back to the caller, waiting puts raise `ActorStopped`, and so does whatever
    comes later. Nothing is both refused and delivered, and nothing is neither.

What awaits: `get` and `put` only. All else is synchronous, and its effect is complete when it returns.

Rejected: trio's memory channel. Closing its receiving end drops what is buffered in silence; it knows no item beyond the bound
(rule 3); and the question "is the loop parked?" needs a statistics object for each actor at each sweep. Also rejected: an
unbounded inbox with a length that somebody watches, for nobody does.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

import outcome
import trio

from placet.actors.protocol.errors import ActorStopped, MailboxFull

T = TypeVar("T")


class Mailbox(Generic[T]):
    """A queue of at most `size` items, with one getter.

    Args:
        size: items that it holds before `offer` refuses and `put` waits; at least 1.
    """

    __slots__ = ("_getter", "_items", "_putters", "_sealed", "_size")

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("a mailbox without room makes every sender wait for the handler before it")
        self._size = size
        self._sealed = False
        self._items: list[T] = []  # no deque: it is never long, and an empty one takes 760 bytes
        self._getter: trio.lowlevel.Task | None = None
        self._putters: OrderedDict[trio.lowlevel.Task, T] | None = (
            None  # made at need: most actors never have one
        )

    def __len__(self) -> int:
        return len(self._items)

    @property
    def is_parked(self) -> bool:
        """Whether the getter sleeps in `get` and nothing has woken it: no item is here, or on its way."""
        return self._getter is not None

    def offer(self, item: T) -> None:
        """Take `item` now.

        Raises:
            MailboxFull: there is no room.
            ActorStopped: the mailbox is sealed.
        """
        self._refuse_if_sealed()
        if len(self._items) >= self._size:
            raise MailboxFull(
                f"{self._size} messages are waiting already; try again in a moment", retry_after_s=1.0
            )
        self._take(item)

    def post(self, item: T) -> bool:
        """Take `item` whether there is room or not; only for what an actor sends itself.

        Returns:
            Whether it was taken: `False` once the mailbox is sealed.
        """
        if self._sealed:
            return False
        self._take(item)
        return True

    async def put(self, item: T) -> None:
        """Wait for room and take `item`. A checkpoint only if it waits.

        Raises:
            ActorStopped: the mailbox is sealed, or was while this waited.

        Cancelled, it has put nothing.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        self._refuse_if_sealed()
        if len(self._items) < self._size:
            self._take(item)
            return
        if self._putters is None:
            self._putters = OrderedDict()
        putters, task = self._putters, trio.lowlevel.current_task()
        putters[task] = item

        def leave(_: object) -> trio.lowlevel.Abort:
            del putters[task]
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(leave)

    async def get(self) -> T:
        """Wait for the oldest item and remove it. Always a checkpoint.

        Cancelled, it has removed nothing. On a sealed mailbox it waits for ever: whoever seals it cancels its getter.
        """
        if self._items:
            await trio.lowlevel.checkpoint()
        while not self._items:
            self._getter = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._leave)
        item = self._items.pop(0)
        self._admit_next()
        return item

    def seal(self) -> list[T]:
        """Refuse all items from now on. Idempotent.

        Returns:
            The items that nobody got, oldest first, for the caller to answer.
        """
        self._sealed = True
        leftovers, self._items = self._items, []
        for task in self._putters or ():
            trio.lowlevel.reschedule(task, outcome.Error(_sealed()))
        self._putters = None
        return leftovers

    def _take(self, item: T) -> None:
        self._items.append(item)
        if self._getter is not None:
            trio.lowlevel.reschedule(self._getter)
            self._getter = None

    def _admit_next(self) -> None:
        if self._putters and len(self._items) < self._size:
            task, item = self._putters.popitem(last=False)
            self._items.append(item)
            trio.lowlevel.reschedule(task)

    def _leave(self, _: object) -> trio.lowlevel.Abort:
        self._getter = None
        return trio.lowlevel.Abort.SUCCEEDED

    def _refuse_if_sealed(self) -> None:
        if self._sealed:
            raise _sealed()


def _sealed() -> ActorStopped:
    return ActorStopped("the actor has ended and takes no more messages")
