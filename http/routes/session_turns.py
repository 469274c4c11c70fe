"""`/api/sessions/{id}/...`: talking to a session, watching it, and its queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import Stop
from placet.actors.protocol.errors import InvalidInput, NotFound
from placet.actors.protocol.events import Outcome
from placet.actors.protocol.ids import Surface, check_session_id
from placet.http import views
from placet.http.admit import Submission, Ticket, admit, follow, wait_for_result
from placet.http.chat_request import ChatRequest, SessionChatRequest, session_chat_of
from placet.http.chat_stream import failure_of
from placet.http.desk import Desk, json_response
from placet.http.errors import error_response
from placet.http.follow import Follower
from placet.http.identity import idempotency_key
from placet.http.paging import listing
from placet.http.requests.parameters import unknown_place
from placet.http.requests.queries import Since
from placet.http.resume import closed_on_error, place_of, watch_session
from placet.http.run_stream import LogRenderer
from placet.http.session_stream import SessionRenderer
from placet.http.shown import Shown
from placet.http.sse import CLOSED, EventBody, event_response

if TYPE_CHECKING:
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The routes of a session's turns."""
    blueprint = Blueprint("session_turns", __name__)

    @blueprint.post("/api/sessions/<session_id>/chat")
    async def chat(session_id: str) -> Response:
        principal = desk.submitter()
        asked = session_chat_of(await desk.body(SessionChatRequest), request.headers)
        ticket = await admit(desk.sessions, _submission(session_id, principal, asked))
        return await _whole(desk, ticket)

    @blueprint.post("/api/sessions/<session_id>/chat/stream")
    async def chat_stream(session_id: str) -> Response:
        principal = desk.submitter()
        asked = session_chat_of(await desk.body(SessionChatRequest), request.headers)
        after = place_of(request.headers)
        if after is not None and idempotency_key(request.headers) is None:
            raise InvalidInput(
                "To resume, send the Idempotency-Key of the request that began; without it this would be new work.",
                code="invalid_last_event_id",
                param="Last-Event-ID",
            )
        ticket = await admit(desk.sessions, _submission(session_id, principal, asked))
        if after is not None and ticket.admitted.joined:
            return await _resumed(desk, ticket, principal, asked, after)
        body = EventBody(
            _renderer(desk, ticket, principal, asked), follow(desk.sessions, ticket), desk.config.heartbeat_s
        )
        return event_response(body, desk.id_headers(session_id, replayed=ticket.admitted.joined))

    @blueprint.get("/api/sessions/<session_id>/events")
    async def session_events(session_id: str) -> Response:
        return await _events(desk, session_id, desk.principal())

    @blueprint.get("/api/sessions/<session_id>/queue")
    async def list_queue(session_id: str) -> Response:
        snapshot = await desk.session(session_id, desk.principal())
        runs = await desk.sessions.store.first_runs(tuple(item.admission_id for item in snapshot.admissions))
        data = [
            views.queued(item, runs[item.admission_id], place)
            for place, item in enumerate(snapshot.admissions)
        ]
        return json_response(listing(data, has_more=False))

    @blueprint.delete("/api/sessions/<session_id>/queue/<admission_id>")
    async def withdraw(session_id: str, admission_id: str) -> Response:
        return await _withdraw(desk, session_id, admission_id, desk.principal())

    return blueprint


def _submission(session_id: str, principal: Principal, asked: ChatRequest) -> Submission:
    return Submission(
        principal=principal,
        surface=Surface.SESSION,
        chat=asked,
        named_session=check_session_id(session_id, param="session_id"),
        must_exist=True,
        key=idempotency_key(request.headers),
    )


def _renderer(
    desk: Desk, ticket: Ticket, principal: Principal, asked: ChatRequest, resumed: Shown | None = None
) -> SessionRenderer:
    return SessionRenderer(
        run_id=ticket.admitted.run_id,
        session_id=ticket.session_id,
        principal=principal.name,
        user_message=asked.input.content.text,
        opened_seq=ticket.admitted.head_seq,
        opened_at=desk.sessions.services.now(),
        result=ticket.result,
        resumed=resumed,
    )


async def _whole(desk: Desk, ticket: Ticket) -> Response:
    headers = desk.id_headers(ticket.session_id, replayed=ticket.admitted.joined)
    outcome, result = await wait_for_result(desk.sessions, ticket)
    if outcome is not Outcome.COMPLETED:
        response = error_response(failure_of(outcome, result))
        response.status_code = 502
        response.headers.update(headers)
        return response
    completion = {
        "object": "hermes.session.chat.completion",
        "session_id": ticket.session_id,
        "run_id": ticket.admitted.run_id,
        "status": "completed",
        "message": {"role": "assistant", "content": result.text},
        "usage": views.usage(result.usage),
    }
    return json_response(completion, headers=headers)


async def _resumed(
    desk: Desk, ticket: Ticket, principal: Principal, asked: ChatRequest, after: int
) -> Response:
    """The same stream from the event after the one that the client has."""
    admitted, headers = ticket.admitted, desk.id_headers(ticket.session_id, replayed=True)
    rows = admitted.asked
    with closed_on_error(admitted.tail):
        if after > admitted.head_seq:
            raise unknown_place()
        if admitted.tail is None:
            rows = await desk.sessions.store.approvals_of(admitted.admission_id)
    shown = Shown(rows, admitted.head_seq, principal.name)
    follower = Follower(
        desk.sessions,
        ticket.session_id,
        admitted.admission_id,
        after=after,
        head_seq=admitted.head_seq,
        tail=admitted.tail,
    )
    renderer = _renderer(desk, ticket, principal, asked, shown)
    return event_response(EventBody(renderer, follower, desk.config.heartbeat_s, replays=True), headers)


async def _events(desk: Desk, session_id: str, principal: Principal) -> Response:
    after = place_of(request.headers, desk.query(Since)) or 0
    session = (await desk.session(session_id, principal)).session
    headers = desk.id_headers(session_id)
    watched = await watch_session(desk.sessions, session_id, after)
    renderer = LogRenderer(watched, session.principal, after=after, ends_with=None)
    follower = Follower(
        desk.sessions, session_id, None, after=after, head_seq=watched.head_seq, tail=watched.tail
    )
    body = EventBody(renderer, follower, desk.config.heartbeat_s, replays=True, farewell=CLOSED)
    return event_response(body, headers)


async def _withdraw(desk: Desk, session_id: str, admission_id: str, principal: Principal) -> Response:
    await desk.own_session(session_id, principal)
    admission = await desk.sessions.store.admission(admission_id)
    if admission is None or admission.session_id != session_id:
        raise NotFound("There is no input of that id in this session.", code="admission_not_found")
    command = Stop(admission_id=admission_id, by=principal.name, queued_only=True)
    stopped = await desk.sessions.ask(session_id, command)
    runs = await desk.sessions.store.first_runs((admission_id,))
    return json_response(views.stopped(runs[admission_id], stopped))
