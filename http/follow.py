"""Follows what a session records, from any place in the log: the past from the store, then the present as it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.actors.protocol.commands import Watch
from placet.actors.runtime import BroadcastClosed, SubscriptionCut
from placet.actors.session import DELETED, DRAINED
from placet.actors.store import admission_of

if TYPE_CHECKING:
    from placet.actors.protocol.answers import Tail
    from placet.actors.protocol.events import Recorded
    from placet.actors.session import Sessions

PAGE: Final = 500
PAGE_BYTES: Final = 64 * 1024
"""Events read at once, and their size: one write's worth, so that neither a long past nor a silent reader fills the memory."""


class Ended(Exception):
    """Nothing more will be recorded here: the server drains."""


class Over(Exception):
    """Nothing more will come: what is followed had ended before, or was deleted."""


class Follower:
    """One reader of one session's log. Each event once and in order, without a gap.

    A reader that falls behind is cut from the broadcast, and so is every reader of an actor that ends; then the store has what was
    missed, and the present is taken up again after that. So it costs no memory to be slow, and loses nothing.

    Args:
        sessions: where the session is.
        session_id: which.
        admission_id: show only what is about this admission; `None` for all.
        after: the newest event that the reader has.
        head_seq: the newest event before the tail.
        tail: what is recorded from then on. It belongs to the follower. `None` if only the past is of interest.
    """

    def __init__(
        self,
        sessions: Sessions,
        session_id: str,
        admission_id: str | None,
        *,
        after: int,
        head_seq: int,
        tail: Tail | None,
    ) -> None:
        self._sessions = sessions
        self._session_id = session_id
        self._admission_id = admission_id
        self._head_seq = head_seq
        self._tail = tail
        self.after = after

    @property
    def is_behind(self) -> bool:
        """Whether what comes next is the past, from the store."""
        return self.after < self._head_seq

    async def receive(self) -> list[Recorded]:
        """What comes next, at least one event. Always a checkpoint; cancelled, nothing is lost.

        Raises:
            Ended: nothing comes any more.
            Over: nothing will come; there was no tail, or the session was deleted.
            Unavailable: the session or the store cannot be reached.
        """
        while True:
            if self.is_behind:
                events = await self.past()
            elif self._tail is None:
                raise Over
            else:
                events = await self._present(self._tail)
            if events:
                return events

    async def past(self) -> list[Recorded]:
        """A page of what the store has before the tail; empty if none of it is about this admission. Cancelled, nothing is lost.

        Raises:
            Unavailable: the store cannot be read.
        """
        page = await self._sessions.store.events(
            self._session_id,
            after=self.after,
            up_to=self._head_seq,
            admission_id=self._admission_id,
            limit=PAGE,
            size_bytes=PAGE_BYTES,
        )
        self.after = page[-1].seq if page else self._head_seq
        return page

    async def _present(self, tail: Tail) -> list[Recorded]:
        try:
            events = await tail.receive()
        except SubscriptionCut:
            return await self._take_up_again(tail)
        except BroadcastClosed as closed:
            if closed.reason == DELETED:
                raise Over from closed
            if closed.reason == DRAINED:
                raise Ended(closed.reason) from closed
            return await self._take_up_again(tail)
        self.after = events[-1].seq
        if self._admission_id is None:
            return events
        return [item for item in events if admission_of(item.event) == self._admission_id]

    async def _take_up_again(self, old: Tail) -> list[Recorded]:
        """Too slow, or the actor has ended: a new subscription, and what lies between from the store."""
        watching = await self._sessions.ask(self._session_id, Watch())
        old.close()
        self._tail, self._head_seq = watching.tail, watching.head_seq
        return []

    def close(self) -> None:
        """Leave. Idempotent and synchronous."""
        if self._tail is not None:
            self._tail.close()
