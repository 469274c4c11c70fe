"""Takes a response from the store again, whole or as a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.protocol.commands import Watch
from placet.actors.protocol.errors import InvalidInput, NotFound, StoreUnavailable
from placet.actors.protocol.records import AdmissionStatus
from placet.http.follow import Follower
from placet.http.requests.queries import NO_NUMBER
from placet.http.responses.envelope import envelope, status_of
from placet.http.responses.stream import ResponseRenderer, composition_of
from placet.http.sse import EventBody

if TYPE_CHECKING:
    from placet.actors.protocol.answers import Admitted, Tail
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


async def admitted_response(sessions: Sessions, admitted: Admitted) -> ResponseRecord:
    """The response of an admission, stored or not. If it cannot be read, also by cancellation, the admission's tail is closed.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    try:
        record = await sessions.store.response_of(admitted.admission_id)
        if record is None:
            raise StoreUnavailable("The response cannot be read.")
    except BaseException:
        if admitted.tail is not None:
            admitted.tail.close()
        raise
    return record


async def whole(sessions: Sessions, record: ResponseRecord, dialect: Dialect) -> dict[str, Any]:
    """The response object as it stood when the record was read. Always a checkpoint; cancelled, nothing is left behind.

    Args:
        sessions: where it is.
        record: the response.
        dialect: whether prompts are in its output.
    """
    composition = composition_of(record, dialect)
    follower = _follower(sessions, record, record.last_seq)
    while follower.is_behind:
        for item in await follower.past():
            composition.add(item.event)
    status = status_of(record.admission, composition.end)
    return envelope(record, status, composition.output, composition.end)


def body_of(
    sessions: Sessions, record: ResponseRecord, admitted: Admitted, dialect: Dialect, heartbeat_s: float
) -> EventBody[Recorded]:
    """The stream of a response that was just admitted, or joined: either way from its first event.

    Args:
        sessions: where it is.
        record: the response.
        admitted: where it stands; its tail belongs to the body.
        dialect: how prompts are shown.
        heartbeat_s: seconds of silence after which a comment is sent.
    """
    follower = _follower(sessions, record, admitted.head_seq, admitted.tail)
    if not admitted.joined:
        follower.after = admitted.head_seq  # what there is of it so far makes no frame
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
    head_seq, tail = record.last_seq, None
    if record.admission.status is not AdmissionStatus.TERMINAL:
        watching = await sessions.ask(record.admission.session_id, Watch())
        head_seq, tail = watching.head_seq, watching.tail
    renderer = ResponseRenderer(record, dialect, after=after)
    return EventBody(renderer, _follower(sessions, record, head_seq, tail), heartbeat_s, replays=True)


async def _check_place(sessions: Sessions, record: ResponseRecord, dialect: Dialect, after: int) -> None:
    renderer = ResponseRenderer(record, dialect, after=after)
    renderer.opening()
    follower = _follower(sessions, record, record.last_seq)
    while follower.is_behind and renderer.sent <= after:
        for item in await follower.past():
            renderer.render(item)
    if renderer.sent <= after:
        raise unknown_number()


def _follower(
    sessions: Sessions, record: ResponseRecord, head_seq: int, tail: Tail | None = None
) -> Follower:
    admission = record.admission
    return Follower(
        sessions,
        admission.session_id,
        admission.admission_id,
        after=record.first_seq - 1,
        head_seq=head_seq,
        tail=tail,
    )


def unknown_number() -> InvalidInput:
    """The error for a number that no frame of this stream has had."""
    return InvalidInput(NO_NUMBER, code="invalid_starting_after", param="starting_after")
