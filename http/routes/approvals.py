"""`/v1/approvals`: the inbox over all sessions that one may see."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import Extend
from placet.actors.protocol.errors import NotFound
from placet.actors.session import RunPlace
from placet.http import views
from placet.http.decide import decide, require_decider
from placet.http.desk import Desk, json_response
from placet.http.inbox import InboxFollower, InboxRenderer
from placet.http.once import once, use_of
from placet.http.paging import listing
from placet.http.requests.decisions import Extension
from placet.http.requests.parameters import unknown_place
from placet.http.requests.queries import ApprovalsPage, Since
from placet.http.resume import place_of
from placet.http.sse import CLOSED, EventBody, event_response

if TYPE_CHECKING:
    from placet.actors.protocol.records import ApprovalRecord
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The inbox routes."""
    blueprint = Blueprint("approvals", __name__)

    @blueprint.get("/v1/approvals")
    async def list_approvals() -> Response:
        principal = desk.principal()
        query = desk.query(ApprovalsPage)
        page = await desk.sessions.store.approvals(
            status=query.status, principal=principal.sees, after=query.after, limit=query.limit
        )
        runs = await desk.sessions.store.first_runs(tuple({row.prompt.admission_id for row in page.items}))
        data = [views.approval_record(row, runs[row.prompt.admission_id]) for row in page.items]
        return json_response(listing(data, has_more=page.has_more))

    @blueprint.get("/v1/approvals/events")
    async def follow_approvals() -> Response:
        return await _follow(desk, desk.principal())

    @blueprint.get("/v1/approvals/<request_id>")
    async def read_approval(request_id: str) -> Response:
        row = await _visible(desk, request_id, desk.principal())
        return json_response(views.approval_record(row, await _run_of(desk, row)))

    @blueprint.post("/v1/approvals/<request_id>/decision")
    async def decide_approval(request_id: str) -> Response:
        principal = desk.principal()
        row = await _visible(desk, request_id, principal)
        place = RunPlace(row.session_id, row.prompt.admission_id, row.principal)
        return await decide(desk, principal, place, await _run_of(desk, row), request_id)

    @blueprint.post("/v1/approvals/<request_id>/extend")
    async def extend_approval(request_id: str) -> Response:
        principal = desk.principal()
        row = await _visible(desk, request_id, principal)
        require_decider(principal)
        return await _extend(desk, principal, row)

    return blueprint


async def _follow(desk: Desk, principal: Principal) -> Response:
    after = place_of(request.headers, desk.query(Since))
    snapshot = await desk.sessions.store.inbox_snapshot(principal.sees)
    if after is None:
        renderer, after = InboxRenderer(snapshot), snapshot.position
    elif after > snapshot.position:
        raise unknown_place()
    else:
        renderer = InboxRenderer(None)
    follower = InboxFollower(desk.sessions, principal.sees, after)
    return event_response(EventBody(renderer, follower, desk.config.heartbeat_s, farewell=CLOSED), {})


async def _extend(desk: Desk, principal: Principal, row: ApprovalRecord) -> Response:
    asked, request_id = await desk.body(Extension), row.prompt.request_id
    use = use_of(principal, request.headers, "extend", target=request_id, asked=asked, subject=request_id)
    command = Extend(
        admission_id=row.prompt.admission_id,
        request_id=request_id,
        seconds=asked.seconds,
        by=principal.name,
        use=use,
    )
    earlier = await once(desk.sessions, use, partial(desk.sessions.ask, row.session_id, command))
    extended = await _visible(desk, request_id, principal)
    headers = desk.id_headers(row.session_id, replayed=earlier is not None)
    return json_response(views.approval_record(extended, await _run_of(desk, row)), headers=headers)


async def _visible(desk: Desk, request_id: str, principal: Principal) -> ApprovalRecord:
    row = await desk.sessions.store.approval(request_id)
    if row is None or not principal.may_see(row.principal):
        raise NotFound("There is no prompt of that id.", code="approval_not_found")
    return row


async def _run_of(desk: Desk, row: ApprovalRecord) -> str:
    runs = await desk.sessions.store.first_runs((row.prompt.admission_id,))
    return runs[row.prompt.admission_id]
