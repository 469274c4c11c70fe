"""Writes a session's plans to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.actors.protocol.events import SERVER_STREAM, Recorded
from placet.actors.store import Batch, CorruptTransition, PreconditionFailed, Store, StreamAppend

if TYPE_CHECKING:
    from placet.actors.session.core import Plan

# Numbers that were shown to a watcher may belong to deltas that a power cut took; a session that lost its process jumps over them.
SEQ_JUMP: Final = 1000

_OUT_OF_STEP: Final = frozenset({"stale_stream", "stale_epoch"})


class OutOfStep(Exception):
    """Memory and log disagree. The actor ends; the next message starts it again from the store."""


class Scribe:
    """The end of one session's stream.

    Args:
        store: where it is.
        stream: the session's id.

    Attributes:
        seq: the number of the newest event.
    """

    __slots__ = ("_store", "_stream", "seq")

    def __init__(self, store: Store, stream: str) -> None:
        self._store = store
        self._stream = stream
        self.seq = 0

    async def write(self, plan: Plan, now: float, *, jump: bool, relaxed: bool) -> list[Recorded]:
        """Record a plan, all or nothing.

        Args:
            plan: what is to be recorded; an empty one is recorded by doing nothing.
            now: Unix seconds.
            jump: whether numbers may have been shown that the log no longer knows.
            relaxed: whether these are text deltas alone.

        Returns:
            The session's own events, in order.

        Raises:
            OutOfStep: another owner wrote to the stream.
            PreconditionFailed: what the plan requires does not hold; nothing was recorded.
            StoreUnavailable: the disk refused; nothing was recorded.

        Once it is with the store's writer it cannot be cancelled.
        """
        appends: list[StreamAppend] = []
        if plan.events:
            first_seq = self.seq + SEQ_JUMP if jump else None
            appends.append(StreamAppend(self._stream, plan.events, self.seq, first_seq))
        if plan.server:
            appends.append(StreamAppend(SERVER_STREAM, plan.server, None))
        if not appends:
            return []
        try:
            recorded = await self._store.append(
                Batch(tuple(appends), now, requires=plan.requires, relaxed=relaxed)
            )
        except CorruptTransition as error:
            raise OutOfStep(str(error)) from error
        except PreconditionFailed as error:
            if error.code in _OUT_OF_STEP:
                raise OutOfStep(str(error)) from error
            raise
        own = [item for item in recorded if item.stream == self._stream]
        if own:
            self.seq = own[-1].seq
        return own
