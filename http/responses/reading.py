"""Takes a response from the store again, whole or as a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol.errors import InvalidInput, NotFound
from placet.actors.protocol.records import RunRecord
from placet.http.follow import PAGE, Follower
from placet.http.responses.envelope import envelope, status_of
from placet.http.responses.stream import ResponseRenderer, composition_of
from placet.http.resume import watch_run
from placet.http.sse import EventBody

if TYPE_CHECKING:
    from placet.actors.protocol.answers import Admitted
    from placet.actors.protocol.events import Recorded
    from placet.actors.protocol.responses import ResponseRecord
    from placet.actors.session import Sessions
    from placet.http.auth import Principal
    from placet.http.dialect import Dialect


async def stored_response(
    sessions: Sessions, run_id: str, principal: Principal, param: str | None = None
) -> ResponseRecord:
    """A response that was stored and that the principal may see.

    Args:
        sessions: where it is.
        run_id: its id.
        principal: who asks.
        param: the field that names it.

    Raises:
        NotFound: `response_not_found`: there is none, it was not to be stored, it was deleted, or the principal may not know of it.
    """
    record = await sessions.store.response(run_id)
    if record is None or not record.stored or not principal.may_see(record.admission.principal):
        raise unknown_response(param)
    return record


def unknown_response(param: str | None = None) -> NotFound:
    """The error for what is no response, or none that the principal may know of."""
    return NotFound("There is no response of that id.", code="response_not_found", param=param)


async def whole(sessions: Sessions, record: ResponseRecord, dialect: Dialect) -> dict[str, Any]:
    """The response object as it stands. Always a checkpoint; cancelled, nothing is left behind.

    Args:
        sessions: where it is.
        record: the response, read before.
        dialect: whether prompts are in its output.
    """
    composition = composition_of(record, dialect)
    after = 0
    while True:
        page = await _page(sessions, record, after)
        for item in page:
            composition.add(item.event)
        if len(page) < PAGE:
            break
        after = page[-1].seq
    status = status_of(record.admission, composition.end)
    return envelope(record, status, composition.output, composition.end)


async def _page(sessions: Sessions, record: ResponseRecord, after: int) -> list[Recorded]:
    admission = record.admission
    return await sessions.store.events(
        admission.session_id, after=after, admission_id=admission.admission_id, limit=PAGE
    )


def body_of(
    sessions: Sessions, record: ResponseRecord, admitted: Admitted, dialect: Dialect, heartbeat_s: float
) -> EventBody[Recorded]:
    """The stream of a response that was just admitted, or joined: then with its whole past.

    Args:
        sessions: where it is.
        record: the response.
        admitted: where it stands; its tail belongs to the body.
        dialect: how prompts are shown.
        heartbeat_s: seconds of silence after which a comment is sent.
    """
    follower = Follower(
        sessions,
        record.admission.session_id,
        record.admission.admission_id,
        after=0 if admitted.joined else admitted.head_seq,
        head_seq=admitted.head_seq,
        tail=admitted.tail,
    )
    return EventBody(ResponseRenderer(record, dialect), follower, heartbeat_s, replays=True)


async def resumed_body(
    sessions: Sessions, record: ResponseRecord, dialect: Dialect, after: int, heartbeat_s: float
) -> EventBody[Recorded]:
    """The stream of a response from some place in it, at any age. Cancelled, nothing is left behind.

    Args:
        sessions: where it is.
        record: the response.
        dialect: how prompts are shown.
        after: the last number that the client has; -1 for none.
        heartbeat_s: seconds of silence after which a comment is sent.

    Raises:
        InvalidInput: `invalid_starting_after`: no frame has had that number yet.
    """
    if after >= 0 and not record.merged:
        await _check_place(sessions, record, dialect, after)
    admission = record.admission
    run = RunRecord(run_id=record.run_id, surface=admission.surface, admission=admission, approvals=())
    watched = await watch_run(sessions, run, 0)
    follower = Follower(
        sessions,
        admission.session_id,
        admission.admission_id,
        after=0,
        head_seq=watched.head_seq,
        tail=watched.tail,
    )
    return EventBody(ResponseRenderer(record, dialect, after=after), follower, heartbeat_s, replays=True)


async def _check_place(sessions: Sessions, record: ResponseRecord, dialect: Dialect, after: int) -> None:
    renderer = ResponseRenderer(record, dialect, after=after)
    renderer.opening()
    seq = 0
    while renderer.sent <= after:
        page = await _page(sessions, record, seq)
        for item in page:
            renderer.render(item)
        if len(page) < PAGE:
            break
        seq = page[-1].seq
    if renderer.sent <= after:
        raise unknown_number()


def unknown_number() -> InvalidInput:
    """The error for a number that no frame of this stream has had."""
    return InvalidInput(
        "No event of this response has had that number. Resume after one that it sent, or from the start.",
        code="invalid_starting_after",
        param="starting_after",
    )
