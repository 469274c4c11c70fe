"""What is asked of a turn when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.conversation import ChatMessage, TurnInput
from placet.actors.protocol.records import ApprovalRecord, JournalEntry
from placet.actors.store import queries, queries_approvals, queries_responses

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


class TurnPast(msgspec.Struct, frozen=True):
    """What a turn starts from.

    Attributes:
        input: what is asked.
        history: what was said before, oldest first: what the request brought, or of each settled turn its messages. That of a
            response is its own chain, which may be truncated. A turn that did not complete ends with a note that says so.
        asked: the prompts of the turn before a crash, oldest first.
        journal: its steps before a crash, in the order in which they began.
        said: its text and its reasoning before a crash.
    """

    input: TurnInput
    history: tuple[ChatMessage, ...]
    asked: tuple[ApprovalRecord, ...] = ()
    journal: tuple[JournalEntry, ...] = ()
    said: tuple[str, str] = ("", "")


def turn_past(conn: Connection, admission_id: str, *, resumed: bool) -> TurnPast | None:
    """What the turn of an admission starts from, if there is one; what it did before a crash only if it is resumed."""
    admission = queries.admission(conn, admission_id)
    if admission is None:
        return None
    history = admission.input.history
    if history is None:
        history = queries_responses.history(conn, admission.session_id, admission.seq)
    if not resumed:
        return TurnPast(admission.input, history)
    return TurnPast(
        admission.input,
        history,
        queries_approvals.approvals_of(conn, admission_id),
        queries.journal(conn, admission_id),
        queries.said_so_far(conn, admission_id),
    )
