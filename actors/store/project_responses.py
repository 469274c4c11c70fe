"""Responses: what their events do to the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.store.codec import to_json

if TYPE_CHECKING:
    from placet.actors.protocol.events import ResponseFiled, ResponseForgotten
    from placet.actors.store.place import Place


def filed(place: Place, event: ResponseFiled) -> None:
    """A row for the admission. One of a conversation follows the newest of that name, whichever that is at this very moment."""
    filing = event.filing
    place.change(
        "INSERT INTO responses (run_id, position, admission_id, principal_id, conversation, previous_id, stored, filing_json)"
        " SELECT ?1, ?2, a.admission_id, a.principal_id, ?3, coalesce(?4, (SELECT run_id FROM responses r"
        "  WHERE r.principal_id = a.principal_id AND r.conversation = ?3 AND r.stored = 1 ORDER BY r.position DESC LIMIT 1)),"
        "  ?5, ?6 FROM session_admissions a WHERE a.admission_id = ?7",
        event.run_id,
        place.position,
        filing.conversation,
        filing.previous,
        filing.stored,
        to_json(filing),
        event.admission_id,
    )


def forgotten(place: Place, event: ResponseForgotten) -> None:
    """It can be read no more. What went on from it keeps what it knows; forgetting twice changes nothing."""
    place.conn.execute(
        "UPDATE responses SET stored = 0 WHERE run_id = ? AND admission_id = ?",
        (event.run_id, event.admission_id),
    )
