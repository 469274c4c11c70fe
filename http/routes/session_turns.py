"""`/api/sessions/{id}/...`: talking to a session, watching it, and its queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import Stop
from placet.actors.protocol.errors import NotFound
from placet.actors.protocol.ids import Surface, check_session_id
from placet.http import views
from placet.http.admit import Submission, admit, follow
from placet.http.chat_request import parse_session_chat
from placet.http.desk import Desk, json_response
from placet.http.identity import idempotency_key
from placet.http.paging import listing
from placet.http.session_stream import SessionRenderer
from placet.http.sse import EventBody, event_response

if TYPE_CHECKING:
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The routes of a session's turns."""
    blueprint = Blueprint("session_turns", __name__)

    @blueprint.post("/api/sessions/<session_id>/chat/stream")
    async def chat_stream(session_id: str) -> Response:
        principal = desk.submitter()
        chat = parse_session_chat(await desk.json_object(), request.headers)
        submission = Submission(
            principal=principal,
            surface=Surface.SESSION,
            chat=chat,
            named_session=check_session_id(session_id, param="session_id"),
            must_exist=True,
            key=idempotency_key(request.headers),
        )
        ticket = await admit(desk.sessions, submission)
        renderer = SessionRenderer(
            run_id=ticket.admitted.run_id,
            session_id=session_id,
            principal=principal.name,
            user_message=chat.input.content.text,
            opened_seq=ticket.admitted.head_seq,
            opened_at=desk.sessions.services.now(),
            result=ticket.result,
        )
        body = EventBody(renderer, follow(desk.sessions, ticket), desk.config.heartbeat_s)
        return event_response(body, desk.id_headers(session_id, replayed=ticket.admitted.joined))

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


async def _withdraw(desk: Desk, session_id: str, admission_id: str, principal: Principal) -> Response:
    await desk.own_session(session_id, principal)
    admission = await desk.sessions.store.admission(admission_id)
    if admission is None or admission.session_id != session_id:
        raise NotFound("There is no input of that id in this session.", code="admission_not_found")
    command = Stop(admission_id=admission_id, by=principal.name, queued_only=True)
    stopped = await desk.sessions.ask(session_id, command)
    runs = await desk.sessions.store.first_runs((admission_id,))
    return json_response(views.stopped(runs[admission_id], stopped))
