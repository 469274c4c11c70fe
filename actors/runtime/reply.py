"""The one-shot reply: where the answer to an ask arrives.

A reply has two ends that may part at any time. The asker may be cancelled, and the actor may answer late, twice or never. None
of this is an error: a late answer is counted and dropped, and the runtime answers what an ended actor left open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import outcome
import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.runtime.counts import Counts

R = TypeVar("R")


class Reply(Generic[R]):
    """One answer, given once and awaited once.

    Attributes:
        abandoned: the asker has gone; no answer can arrive any more.
        keeper: who must see to it that it is answered, once an actor has it in hand.
    """

    __slots__ = ("_asker", "_outcome", "abandoned", "keeper")

    def __init__(self) -> None:
        self.abandoned = False
        self._asker: trio.lowlevel.Task | None = None
        self._outcome: outcome.Outcome[R] | None = None
        self.keeper: OpenReplies | None = None

    def send(self, value: R) -> bool:
        """Answer with `value`.

        Returns:
            Whether the asker gets it. `False`, and no more than a count, if the reply was already answered or the asker has
            gone; whatever `value` stands for, such as a subscription, then still belongs to the caller.
        """
        return self._settle(outcome.Value(value))

    def fail(self, error: Exception) -> bool:
        """Answer by raising `error` at the asker. Returns as `send` does."""
        return self._settle(outcome.Error(error))

    @property
    def done(self) -> bool:
        """Whether it was answered."""
        return self._outcome is not None

    async def wait(self) -> R:
        """Wait for the answer. Always lets other tasks run.

        Returns:
            The value that was sent.

        Raises:
            Exception: the error that it was failed with.

        Cancelled before an answer is there, it marks the reply abandoned. An answer that is there is returned even under
        cancellation: `send` has said that it arrives.
        """
        if self._outcome is None:
            self._asker = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._abandon)
        else:
            await trio.lowlevel.cancel_shielded_checkpoint()
        assert self._outcome is not None  # nobody else wakes the asker
        return self._outcome.unwrap()

    def _abandon(self, _: object) -> trio.lowlevel.Abort:
        self.abandoned = True
        self._asker = None
        if self.keeper is not None:
            self.keeper.release(self)
        return trio.lowlevel.Abort.SUCCEEDED

    def _settle(self, result: outcome.Outcome[R]) -> bool:
        if self.done or self.abandoned:
            if self.keeper is not None:
                self.keeper.count_late()
            return False
        self._outcome = result
        if self.keeper is not None:
            self.keeper.release(self)
        if self._asker is not None:
            trio.lowlevel.reschedule(self._asker)
            self._asker = None
        return True


def _reply_to_nobody() -> Reply[Any]:
    reply: Reply[Any] = Reply()
    reply.abandoned = True
    return reply


# What a handler is given with a notice. Born abandoned, it never changes, so one serves all.
NOBODY: Final = _reply_to_nobody()


class OpenReplies:
    """The unanswered replies of one actor, kept so that none outlives it: the one in hand, and those that wait for a person."""

    __slots__ = ("_counts", "_open")

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._open: list[Reply[Any]] = []  # too few for a set

    def __len__(self) -> int:
        return len(self._open)

    def keep(self, reply: Reply[Any]) -> None:
        """Take responsibility for `reply` until it is answered or abandoned."""
        reply.keeper = self
        self._open.append(reply)

    def release(self, reply: Reply[Any]) -> None:
        """Let go of `reply`."""
        self._open.remove(reply)

    def count_late(self) -> None:
        """Record an answer that nobody waited for."""
        self._counts.late_answers += 1

    def fail_all(self, make_error: Callable[[], Exception]) -> None:
        """Fail every open reply, each with an error of its own (a raised exception belongs to one task)."""
        for reply in list(self._open):
            reply.fail(make_error())
