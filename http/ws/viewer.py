"""One connected viewer: who it is, which sessions it has resumed, and how frames reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.errors import NotAllowed
from placet.actors.protocol.ids import new_id
from placet.http.ws.cut import snapshot_of, take_cut
from placet.http.ws.membership import Membership

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    import trio

    from placet.http.auth import Principal
    from placet.http.desk import Desk


class Viewer:
    """What the methods work on. One method is carried out at a time.

    Args:
        desk: the application's objects.
        principal: who is connected.
        origin: from where, for the audit.
        send: sends a frame; waits while the viewer does not read.

    Attributes:
        memberships: the sessions that it watches, by id.
    """

    def __init__(
        self, desk: Desk, principal: Principal, origin: str, send: Callable[[str], Awaitable[None]]
    ) -> None:
        self.desk = desk
        self.principal = principal
        self.origin = origin
        self.memberships: dict[str, Membership] = {}
        self._send = send

    async def resume(self, session_id: str) -> dict[str, Any]:
        """Watch a session from now on; the answer is how it stands. Always a checkpoint.

        A connection is a member once: resumed again, it starts over from a new cut under the same subscription id. The caller
        sends the answer and then calls `begin`, so that nothing comes before its snapshot.

        Raises:
            NotFound: there is no such session, or this viewer may not know of it.
            Unavailable: the session or the store cannot be reached. The viewer does not watch the session then.
        """
        await self.desk.session(session_id, self.principal)
        subscription_id = self._retire(session_id) or new_id()
        cut = await take_cut(self.desk.sessions, session_id)
        membership = Membership(self.desk.sessions, cut, subscription_id, self._send)
        self.memberships[session_id] = membership
        return snapshot_of(cut, subscription_id, self.desk.sessions.store.epoch)

    def begin(self, nursery: trio.Nursery) -> None:
        """Let what was resumed since the last call be carried to the viewer."""
        for membership in self.memberships.values():
            membership.begin(nursery)

    def detach(self, session_id: str, subscription_id: str) -> bool:
        """Watch no more. Whether there was such a membership on this connection."""
        found = self.memberships.get(session_id)
        if found is None or found.subscription_id != subscription_id:
            return False
        return self._retire(session_id) is not None

    def require_membership(self, session_id: str) -> None:
        """Refuse what only who watches may do: an answer to what one does not see is a guess.

        Raises:
            NotAllowed: `not_subscribed`.
        """
        found = self.memberships.get(session_id)
        if found is None or found.ended.is_set():
            raise NotAllowed("Resume the session on this connection first.", code="not_subscribed")

    async def wait_until_told(self) -> None:
        """Wait until no membership has anything more to say. A checkpoint only if it waits."""
        for membership in list(self.memberships.values()):
            await membership.ended.wait()

    def close(self) -> None:
        """Leave every session. What runs there goes on. Synchronous."""
        for session_id in list(self.memberships):
            self._retire(session_id)

    def _retire(self, session_id: str) -> str | None:
        """The id of the live membership that this ends."""
        found = self.memberships.pop(session_id, None)
        if found is None:
            return None
        ended = found.ended.is_set()
        found.stop()
        return None if ended else found.subscription_id
