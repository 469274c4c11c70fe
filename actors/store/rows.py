"""From rows to records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.protocol.approvals import ApprovalStatus, Prompt, Rule
from placet.actors.protocol.conversation import TurnInput, TurnResult
from placet.actors.protocol.events import Outcome, Recorded
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus, ApprovalRecord, SessionRecord
from placet.actors.store import codec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.actors.store.sql import Connection

ADMISSION = (
    "SELECT admission_id, target_session_id, principal_id, surface, seq, status, outcome, generation, stopping, payload_json,"
    " result_json, payload_digest, created_at, updated_at, steering_json FROM session_admissions "
)
# Left alone, the planner walks through a session's whole past.
UNSETTLED = ADMISSION + "INDEXED BY admissions_unsettled "
APPROVAL = (
    "SELECT prompt_json, session_id, principal_id, generation, status, choice, decided_by, decided_at, reason, rule_id, warned,"
    " answer FROM approvals "
)
SESSION = (
    "SELECT session_id, principal_id, source, ephemeral, title, system_prompt, head_seq, runtime_generation, runtime_revision,"
    " created_at, last_active, parent_session_id, archived, pinned, hidden, unread, end_reason, ended_at FROM sessions "
)
RULE = "SELECT rule_json FROM rules "
EVENT = "SELECT stream, seq, position, at, body FROM events "


def admission(conn: Connection, row: tuple[Any, ...], *, images: bool = True) -> AdmissionRecord:
    """A row of `ADMISSION`.

    Args:
        conn: where its images are.
        row: the row.
        images: whether large images are put back into its input; a list has no use for them.
    """
    asked = msgspec.json.decode(row[9], type=TurnInput)
    return AdmissionRecord(
        admission_id=row[0],
        session_id=row[1],
        principal=row[2],
        surface=row[3],
        seq=row[4],
        status=AdmissionStatus(row[5]),
        outcome=None if row[6] is None else Outcome(row[6]),
        generation=row[7],
        stopping=bool(row[8]),
        input=codec.restore(conn, asked) if images else asked,
        result=None if row[10] is None else msgspec.json.decode(row[10], type=TurnResult),
        fingerprint=row[11],
        created_at=row[12],
        updated_at=row[13],
        steering=msgspec.json.decode(row[14], type=tuple[str, ...]),
    )


def approval(row: tuple[Any, ...]) -> ApprovalRecord:
    """A row of `APPROVAL`."""
    return ApprovalRecord(
        prompt=msgspec.json.decode(row[0], type=Prompt),
        session_id=row[1],
        principal=row[2],
        generation=row[3],
        status=ApprovalStatus(row[4]),
        choice=row[5],
        decided_by=row[6],
        decided_at=row[7],
        reason=row[8],
        rule_id=row[9],
        warned=bool(row[10]),
        answer=row[11],
    )


def session(row: tuple[Any, ...]) -> SessionRecord:
    """A row of `SESSION`."""
    return SessionRecord(
        session_id=row[0],
        principal=row[1],
        source=row[2],
        ephemeral=bool(row[3]),
        title=row[4],
        system_prompt=row[5],
        head_seq=row[6],
        generation=row[7],
        revision=row[8],
        created_at=row[9],
        last_active=row[10],
        parent=row[11],
        archived=bool(row[12]),
        pinned=bool(row[13]),
        hidden=bool(row[14]),
        unread=bool(row[15]),
        end_reason=row[16],
        ended_at=row[17],
    )


def rule(row: tuple[Any, ...]) -> Rule:
    """A row of `RULE`."""
    return msgspec.json.decode(row[0], type=Rule)


def events(conn: Connection, rows: Iterable[tuple[Any, ...]]) -> list[Recorded]:
    """Rows of `EVENT`."""
    return [
        Recorded(stream, seq, position, at, codec.decode(conn, body))
        for stream, seq, position, at, body in rows
    ]
