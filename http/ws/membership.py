"""One viewer's subscription to one session: carries what the session records to the viewer, as fast as the viewer reads.

The session's broadcast is the only queue: a viewer that does not read falls behind in it, alone, and is cut from it. Then this
membership is over; the viewer is told once, and resumes when it likes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from placet.actors.protocol import events as e
from placet.actors.protocol.errors import PlacetError
from placet.actors.runtime import SubscriptionCut
from placet.http.follow import Ended, Follower, Over
from placet.http.ws.cut import read_info
from placet.http.ws.frames import EventLog
from placet.http.ws.rpc import event_frame

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.protocol.answers import Tail
    from placet.actors.protocol.events import Recorded
    from placet.actors.session import Sessions
    from placet.http.ws.cut import Cut

_MOVES: Final = (
    e.AdmissionAccepted,
    e.AdmissionClaimed,
    e.AdmissionResumed,
    e.AdmissionLost,
    e.AdmissionSettled,
)
"""After these a viewer is told how the session stands."""


class _FellBehind(Exception):
    """The viewer did not keep up."""


class _Strict:
    """A tail whose being cut nobody mends. The follower would: it would read from the store what a slow reader has missed."""

    def __init__(self, tail: Tail) -> None:
        self._tail = tail

    async def receive(self) -> list[Recorded]:
        try:
            return await self._tail.receive()
        except SubscriptionCut as cut:
            raise _FellBehind(cut.reason) from cut

    def close(self) -> None:
        self._tail.close()


class Membership:
    """A subscription that goes on from a cut.

    Args:
        sessions: where the session is.
        cut: where it begins. Its tail belongs to the membership.
        subscription_id: what the viewer calls it.
        send: sends a frame; waits while the viewer does not read.

    Attributes:
        session_id: which session.
        subscription_id: what the viewer calls it.
        ended: set when nothing more will be sent.
    """

    def __init__(
        self, sessions: Sessions, cut: Cut, subscription_id: str, send: Callable[[str], Awaitable[None]]
    ) -> None:
        self.session_id = cut.record.session_id
        self.subscription_id = subscription_id
        self._begun = False
        self.ended = trio.Event()
        self._store = sessions.store
        self._send = send
        self._scope = trio.CancelScope()
        watching = cut.watching
        self._log = EventLog(cut.record, watching.asked, watching.head_seq, cut.runs, sessions.store.epoch)
        self._follower = Follower(
            sessions,
            self.session_id,
            None,
            after=watching.head_seq,
            head_seq=watching.head_seq,
            tail=_Strict(watching.tail),
        )

    def begin(self, nursery: trio.Nursery) -> None:
        """Send what happens from now on, in a task of its own, until the viewer is too slow, the session is gone, the server
        drains, or `stop` is called. Called again, it does nothing.
        """
        if not self._begun:
            self._begun = True
            nursery.start_soon(self._run)

    async def _run(self) -> None:
        try:
            with self._scope:
                await self._follow()
        finally:
            self.stop()

    def stop(self) -> None:
        """Leave. Synchronous and idempotent; of what was not sent yet, no more than the frame under way will be."""
        self._scope.cancel()
        self._follower.close()
        self.ended.set()

    async def _follow(self) -> None:
        try:
            while True:
                await self._tell(await self._follower.receive())
        except Ended:
            pass  # the server drains; the socket will say so
        except Over:
            await self._send(event_frame(self._log.state("session.deleted", {})))
        except _FellBehind:
            await self._tell_gap("slow_peer")
        except PlacetError as error:
            await self._tell_gap(error.code)

    async def _tell(self, events: list[Recorded]) -> None:
        for item in events:
            for params in self._log.render(item):
                await self._send(event_frame(params))
        if any(isinstance(item.event, _MOVES) for item in events):
            info = await read_info(self._store, self.session_id)
            if info is not None:
                await self._send(event_frame(self._log.state("session.info", info)))

    async def _tell_gap(self, reason: str) -> None:
        """What comes next was not sent: the viewer has everything up to some event, and nothing of what lies between it and now."""
        self._follower.close()
        latest = self._follower.after
        try:
            snapshot = await self._store.session(self.session_id)
            latest = latest if snapshot is None else snapshot.session.head_seq
        except PlacetError:
            reason = "storage_unavailable"
        gap = {"latest_seq": latest, "last_sequence": self._follower.after, "reason": reason}
        await self._send(event_frame(self._log.state("session.replay_gap", gap)))
