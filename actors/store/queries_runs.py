"""What is asked of runs: public ids and the admissions that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.records import RunRecord, RunStatus
from placet.actors.store import rows
from placet.actors.store.page import Page, page
from placet.actors.store.queries import admission
from placet.actors.store.queries_approvals import approvals_of

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

_ASKING = "EXISTS (SELECT 1 FROM approvals p WHERE p.admission_id = session_admissions.admission_id AND p.status = 'open')"
# What is rare has a small index of its own. SQLite would go through all that is common instead, since that is in order.
_UNSETTLED = "INDEXED BY admissions_unsettled WHERE status != 'terminal' AND status"
_NOT_COMPLETED = "INDEXED BY admissions_not_completed WHERE outcome != 'completed' AND outcome"

_OF_STATUS = {
    None: "WHERE true",
    RunStatus.QUEUED: f"{_UNSETTLED} = 'queued'",
    RunStatus.RUNNING: f"{_UNSETTLED} = 'started' AND stopping = 0 AND NOT {_ASKING}",
    RunStatus.WAITING: f"{_UNSETTLED} = 'started' AND stopping = 0 AND {_ASKING}",
    RunStatus.STOPPING: f"{_UNSETTLED} = 'started' AND stopping = 1",
    RunStatus.UNKNOWN: f"{_UNSETTLED} = 'unknown'",
    RunStatus.COMPLETED: "WHERE outcome = 'completed'",
    RunStatus.FAILED: f"{_NOT_COMPLETED} = 'failed'",
    RunStatus.CANCELLED: f"{_NOT_COMPLETED} = 'cancelled'",
    RunStatus.INTERRUPTED: f"{_NOT_COMPLETED} = 'interrupted'",
    RunStatus.REJECTED: f"{_NOT_COMPLETED} = 'rejected'",
}


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs a list is to show; `None` means any.

    Attributes:
        principal: who submitted them.
        session_id: their session.
        status: where they stand.
    """

    principal: str | None = None
    session_id: str | None = None
    status: RunStatus | None = None


def run(conn: Connection, run_id: str) -> RunRecord | None:
    """What a public run id names."""
    alias = conn.execute(
        "SELECT admission_id, surface FROM run_aliases WHERE run_id = ?", (run_id,)
    ).fetchone()
    if alias is None:
        return None
    admission_id, surface = alias
    record = admission(conn, admission_id)
    if record is None:
        return None
    return RunRecord(
        run_id=run_id, surface=surface, admission=record, approvals=approvals_of(conn, admission_id)
    )


def runs(conn: Connection, wanted: RunFilter, after: str | None, limit: int) -> Page[RunRecord]:
    """Runs under their first public ids, the newest first, after the run `after`."""
    conditions, values = [_OF_STATUS[wanted.status]], list[object]()
    for column, value in (("principal_id", wanted.principal), ("target_session_id", wanted.session_id)):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    if after is not None:
        conditions.append(
            "seq < (SELECT a.seq FROM run_aliases r JOIN session_admissions a USING (admission_id) WHERE r.run_id = ?)"
        )
        values.append(after)
    sql = f"{rows.ADMISSION} {' AND '.join(conditions)} ORDER BY seq DESC LIMIT ?"
    admissions = [
        rows.admission(conn, row, images=False) for row in conn.execute(sql, (*values, limit + 1)).fetchall()
    ]
    names = first_runs(conn, tuple(item.admission_id for item in admissions))
    found = [
        RunRecord(
            run_id=names[item.admission_id],
            surface=item.surface,
            admission=item,
            approvals=approvals_of(conn, item.admission_id),
        )
        for item in admissions
    ]
    return page(found, limit)


def first_runs(conn: Connection, admission_ids: tuple[str, ...]) -> dict[str, str]:
    """The public run id that each admission was given first."""
    marks = ", ".join("?" * len(admission_ids))
    found = conn.execute(
        f"SELECT admission_id, run_id FROM run_aliases WHERE admission_id IN ({marks}) ORDER BY position DESC",
        admission_ids,
    )
    return {str(admission_id): str(run_id) for admission_id, run_id in found}


def runs_since(conn: Connection, stream: str, after: int) -> dict[str, str]:
    """The first public run id of every admission that something was recorded about after that place."""
    found = conn.execute(
        "SELECT admission_id, run_id FROM run_aliases WHERE admission_id IN"
        " (SELECT admission_id FROM events WHERE stream = ? AND seq > ?) ORDER BY position DESC",
        (stream, after),
    )
    return {str(admission_id): str(run_id) for admission_id, run_id in found}
