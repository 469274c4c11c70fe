"""The stream of the whole inbox: what happens to prompts, in every session that the viewer may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.actors.protocol import events as e
from placet.http import views
from placet.http.errors import error_object
from placet.http.follow import Ended
from placet.http.sse import OPEN, json_frame

if TYPE_CHECKING:
    from placet.actors.protocol.errors import PlacetError
    from placet.actors.protocol.records import ApprovalRecord
    from placet.actors.session import Sessions
    from placet.actors.store import InboxEvent, InboxSnapshot

PAGE: Final = 200
"""Events read at once; each may hold a long command."""


class InboxFollower:
    """One reader of the inbox. Each event once and in the order of the whole log.

    It is woken when there is something new and reads it from the store: prompts come at the pace of people, and only the store
    knows the order over all sessions.

    Args:
        sessions: whose inbox it is.
        principal: show only what this principal's turns ask; `None` for all.
        after: the position of the newest event that the reader has.
    """

    is_behind = False

    def __init__(self, sessions: Sessions, principal: str | None, after: int) -> None:
        self._bell = sessions.services.inbox
        self._store = sessions.store
        self._principal = principal
        self._after = after

    async def receive(self) -> list[InboxEvent]:
        """What comes next, at least one event. Always a checkpoint; cancelled, nothing is lost.

        Raises:
            Ended: the server drains.
            Unavailable: the store cannot be read.
        """
        while True:
            heard, closed = self._bell.rung, self._bell.closed
            page = await self._store.inbox(after=self._after, limit=PAGE)
            if page:
                self._after = page[-1].recorded.position
                visible = [item for item in page if self._principal in (None, item.principal)]
                if visible:
                    return visible
            elif closed:
                raise Ended("the server drains")
            else:
                await self._bell.wait_past(heard)

    async def past(self) -> list[InboxEvent]:
        """Never asked for: this reader is never behind."""
        return []

    def close(self) -> None:
        """Nothing is held."""


class InboxRenderer:
    """Frames of one inbox stream; ids are positions in the whole log.

    Args:
        snapshot: the inbox as a new viewer finds it; `None` for one that resumes and has it already.
    """

    def __init__(self, snapshot: InboxSnapshot | None) -> None:
        self.done = False
        self._snapshot = snapshot
        self._shown: dict[str, int] = {}

    def opening(self) -> bytes:
        """A comment, and for a new viewer what is open, then a mark with the place in the log from which it goes on."""
        if self._snapshot is None:
            return OPEN
        prompts = b"".join(self._prompt(row, run_id, None) for row, run_id in self._snapshot.open)
        mark = {"event": "inbox.ready", "open": len(self._snapshot.open)}
        return OPEN + prompts + json_frame(mark, event="inbox.ready", event_id=self._snapshot.position)

    def catch_up(self, item: InboxEvent) -> None:
        """Never called: the past is replayed."""

    def caught_up(self) -> bytes:
        """Never called."""
        return b""

    def failed(self, error: PlacetError) -> bytes:
        """Why the stream cannot go on."""
        self.done = True
        return json_frame({"event": "error", **error_object(error)}, event="error")

    def render(self, item: InboxEvent) -> bytes:
        """The frames of one event; the last of them carries its position as id."""
        event, position = item.recorded.event, item.recorded.position
        match event:
            case e.ApprovalOpened() | e.AdmissionResumed():
                rows = [row for row in item.prompts if self._is_news(row)]
                ids = [None] * (len(rows) - 1) + [position]
                return b"".join(
                    self._prompt(row, item.run_id, at) for row, at in zip(rows, ids, strict=False)
                )
            case e.ApprovalExpiring() | e.ApprovalExtended() | e.ApprovalDecided() | e.ApprovalClosed():
                where = {
                    "run_id": item.run_id,
                    "session_id": item.recorded.stream,
                    "timestamp": item.recorded.at,
                }
                record = views.approval_event(event) | where
                return json_frame(record, event=record["event"], event_id=position)
            case _:
                return b""

    def _is_news(self, row: ApprovalRecord) -> bool:
        """Whether this viewer was not shown the prompt yet, or under another generation."""
        return self._shown.get(row.prompt.request_id) != row.generation

    def _prompt(self, row: ApprovalRecord, run_id: str, position: int | None) -> bytes:
        self._shown[row.prompt.request_id] = row.generation
        record = views.approval_request(row, run_id) | {"status": row.status.value}
        return json_frame(record, event=record["event"], event_id=position)
