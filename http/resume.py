"""Where a viewer's stream begins: the place in the log that it names, and what stands open there."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.answers import Tail
from placet.actors.protocol.commands import Watch
from placet.actors.protocol.errors import NotFound
from placet.actors.protocol.records import AdmissionStatus, ApprovalRecord
from placet.http.requests.parameters import LAST_EVENT_ID, read_header, unknown_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.datastructures import Headers

    from placet.actors.protocol.records import RunRecord
    from placet.actors.session import Sessions
    from placet.http.requests.queries import Since


def place_of(headers: Headers, since: Since | None = None) -> int | None:
    """The number of the newest event that the client has: the header's, else the query's; `None` if it has none.

    Args:
        headers: of the request; `Last-Event-ID` is read.
        since: what its query says.

    Raises:
        InvalidInput: `invalid_last_event_id`: the header is no number.
    """
    said: tuple[int | None, ...] = (read_header(headers, LAST_EVENT_ID),)
    said += () if since is None else (since.after, since.last_seq)
    return next((place for place in said if place is not None), None)


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """What a viewer's stream is made from.

    Attributes:
        head_seq: the newest event before the tail.
        tail: what comes after; `None` if nothing can. Whoever has it closes it.
        asked: what had been asked by then, as it stood.
        runs: the public run id of each admission that is not settled.
        truncated: whether deltas after the viewer's place were merged with some before it.
    """

    head_seq: int
    tail: Tail | None
    asked: tuple[ApprovalRecord, ...]
    runs: dict[str, str]
    truncated: bool


async def watch_run(sessions: Sessions, record: RunRecord, after: int) -> Watched:
    """Begin to watch one run.

    Args:
        sessions: where it is.
        record: the run, read before.
        after: the newest event that the viewer has.

    Raises:
        InvalidInput: `invalid_last_event_id`: there is no such event yet.
        NotFound: the run was deleted meanwhile.

    Cancelled, nothing is left behind.
    """
    store, admission = sessions.store, record.admission
    runs = {admission.admission_id: record.run_id}
    truncated = await store.truncated(admission.session_id, after=after)
    if admission.status is not AdmissionStatus.TERMINAL:
        watching = await sessions.ask(admission.session_id, Watch())
        with closed_on_error(watching.tail):
            if admission.admission_id in watching.unsettled:
                _check_place(after, watching.head_seq)
                asked = tuple(
                    row for row in watching.asked if row.prompt.admission_id == admission.admission_id
                )
                return Watched(
                    head_seq=watching.head_seq,
                    tail=watching.tail,
                    asked=asked,
                    runs=runs,
                    truncated=truncated,
                )
        watching.tail.close()
    session = await store.session(admission.session_id)
    if session is None:
        raise NotFound("There is no run of that id.", code="run_not_found")
    head_seq = session.session.head_seq
    _check_place(after, head_seq)
    asked = await store.approvals_of(admission.admission_id)
    return Watched(head_seq=head_seq, tail=None, asked=asked, runs=runs, truncated=truncated)


async def watch_session(sessions: Sessions, session_id: str, after: int) -> Watched:
    """Begin to watch everything in a session; arguments, errors and cancellation as in `watch_run`."""
    store = sessions.store
    truncated = await store.truncated(session_id, after=after)
    watching = await sessions.ask(session_id, Watch())
    with closed_on_error(watching.tail):
        _check_place(after, watching.head_seq)
        runs = await store.runs_since(session_id, after=after) | await store.first_runs(watching.unsettled)
        # Read after the cut: what had ended by then is here for good, and what had not is in `watching`, as it stood.
        rows = {row.prompt.request_id: row for row in await store.approvals_since(session_id, after=after)}
    rows |= {row.prompt.request_id: row for row in watching.asked}
    return Watched(
        head_seq=watching.head_seq,
        tail=watching.tail,
        asked=tuple(rows.values()),
        runs=runs,
        truncated=truncated,
    )


def _check_place(after: int, head_seq: int) -> None:
    if after > head_seq:
        raise unknown_place()


@contextmanager
def closed_on_error(tail: Tail | None) -> Iterator[None]:
    """Close a tail, if there is one, when the block does not end well, also by cancellation."""
    try:
        yield
    except BaseException:
        if tail is not None:
            tail.close()
        raise
