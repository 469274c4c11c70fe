"""`/v1/responses`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import ForgetResponse, Stop
from placet.actors.protocol.errors import NotAllowed
from placet.http.admit import wait_for_result
from placet.http.desk import Desk, json_response
from placet.http.identity import dialect_of, idempotency_key, session_of
from placet.http.requests.queries import Reading
from placet.http.responses.admission import admit_response
from placet.http.responses.reading import (
    admitted_response,
    body_of,
    resumed_body,
    stored_response,
    whole,
)
from placet.http.responses.request import ResponseRequest, response_of
from placet.http.sse import event_response

if TYPE_CHECKING:
    from placet.actors.protocol.responses import ResponseRecord


def routes(desk: Desk) -> Blueprint:
    """The routes of responses."""
    blueprint = Blueprint("responses", __name__)
    sessions = desk.sessions

    @blueprint.post("/v1/responses")
    async def create_response() -> Response:
        principal = desk.submitter()
        asked = response_of(await desk.body(ResponseRequest), request.headers)
        dialect = dialect_of(asked.chat, request.headers, principal)
        named = session_of(request.headers, no_auth=desk.config.no_auth)
        key = idempotency_key(request.headers)
        ticket = await admit_response(sessions, principal, asked, named, key)
        admitted = ticket.admitted
        headers = desk.id_headers(ticket.session_id, replayed=admitted.joined)
        if asked.chat.stream:
            record = await admitted_response(sessions, admitted)
            body = body_of(sessions, record, admitted, dialect, desk.config.heartbeat_s)
            return event_response(body, headers)
        if not asked.background:
            await wait_for_result(sessions, ticket)
        elif admitted.tail is not None:
            admitted.tail.close()
        record = await admitted_response(sessions, admitted)
        return json_response(await whole(sessions, record, dialect), headers=headers)

    @blueprint.get("/v1/responses/<run_id>")
    async def read_response(run_id: str) -> Response:
        principal = desk.principal()
        record = await stored_response(sessions, run_id, principal)
        dialect = dialect_of(None, request.headers, principal)
        headers = desk.id_headers(record.admission.session_id)
        query = desk.query(Reading)
        after = -1 if query.starting_after is None else query.starting_after
        if query.stream == "false":
            return json_response(await whole(sessions, record, dialect), headers=headers)
        body = await resumed_body(sessions, record, dialect, after, desk.config.heartbeat_s)
        return event_response(body, headers)

    @blueprint.delete("/v1/responses/<run_id>")
    async def delete_response(run_id: str) -> Response:
        record = await _controlled(desk, run_id)
        admission = record.admission
        command = ForgetResponse(run_id=run_id, admission_id=admission.admission_id)
        await sessions.ask(admission.session_id, command)
        return json_response({"id": run_id, "object": "response", "deleted": True})

    @blueprint.post("/v1/responses/<run_id>/cancel")
    async def cancel_response(run_id: str) -> Response:
        principal = desk.principal()
        record = await _controlled(desk, run_id)
        command = Stop(admission_id=record.admission.admission_id, by=principal.name)
        await sessions.ask(record.admission.session_id, command)
        stopped = await stored_response(sessions, run_id, principal)
        dialect = dialect_of(None, request.headers, principal)
        return json_response(
            await whole(sessions, stopped, dialect), headers=desk.id_headers(record.admission.session_id)
        )

    return blueprint


async def _controlled(desk: Desk, run_id: str) -> ResponseRecord:
    principal = desk.principal()
    record = await stored_response(desk.sessions, run_id, principal)
    if record.admission.principal != principal.name and not principal.is_operator:
        raise NotAllowed("Only who asked for a response, or an operator, may end it.", code="role_required")
    return record
