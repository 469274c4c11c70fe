"""Prompts as a viewer must see them that reads the log from some place in the past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.protocol.records import ApprovalRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.actors.protocol import events as e
    from placet.actors.protocol.events import Recorded


class Shown:
    """Which prompts one viewer was shown.

    Read in the past, an event tells of a prompt as it was; the viewer is told how it stands. So an open prompt appears once, under
    the generation that may be decided now, and one that has ended never appears as open.

    Args:
        rows: what had been asked when the viewer subscribed, as it stood.
        head_seq: the newest event before that.
        principal: who submitted the turns.
    """

    def __init__(self, rows: Iterable[ApprovalRecord], head_seq: int, principal: str) -> None:
        self._principal = principal
        self._rows = {row.prompt.request_id: row for row in rows}
        self._head_seq = head_seq
        self._seen: set[str] = set()

    def opened(self, item: Recorded, event: e.ApprovalOpened) -> ApprovalRecord:
        """A prompt that the log says was opened, as it stands."""
        request_id = event.prompt.request_id
        self._seen.add(request_id)
        if item.seq > self._head_seq:
            self._rows[request_id] = ApprovalRecord(
                prompt=event.prompt,
                session_id=item.stream,
                principal=self._principal,
                generation=event.generation,
                status=ApprovalStatus.OPEN,
            )
        return self._rows[request_id]

    def resumed(self, item: Recorded, event: e.AdmissionResumed) -> list[ApprovalRecord]:
        """The prompts to show again as their turn goes on under a new generation.

        In the past only those that this viewer was not shown yet: it had them before under an old generation.
        """
        rows = [
            row
            for row in self._rows.values()
            if row.prompt.admission_id == event.admission_id and row.status is ApprovalStatus.OPEN
        ]
        if item.seq <= self._head_seq:
            rows = [row for row in rows if row.prompt.request_id not in self._seen]
        else:
            rows = [replace(row, generation=event.generation) for row in rows]
        self._rows |= {row.prompt.request_id: row for row in rows}
        self._seen |= {row.prompt.request_id for row in rows}
        return rows

    def ended(self, request_id: str, status: ApprovalStatus) -> None:
        """A prompt has ended. One that the viewer had been shown long before may be unknown here."""
        row = self._rows.get(request_id)
        if row is not None:
            self._rows[request_id] = replace(row, status=status)
