"""`/api/sessions`: sessions as things that are made, listed, changed, forked and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response, request

from placet.actors.protocol.commands import ChangeSession, DeleteSession, OpenSession
from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.events import SessionChanged, SessionOpened
from placet.actors.store import SessionFilter
from placet.http import views, views_session
from placet.http.desk import Desk, json_response
from placet.http.paging import limit_of, listing, number_of
from placet.http.session_request import TITLE_MAX as TITLE_MAX
from placet.http.session_request import new_session_id, parse_change, parse_opening, parse_title

if TYPE_CHECKING:
    from placet.actors.protocol.records import SessionRecord
    from placet.http.auth import Principal

MESSAGES_MAX = 500
"""Messages in one page: some hundred KiB of text."""

_OFFSET_MAX = 10**9 - 1
_ORDERS = {"latest": True, "oldest": False}


def routes(desk: Desk) -> Blueprint:
    """The session routes."""
    blueprint = Blueprint("sessions", __name__)

    @blueprint.get("/api/sessions")
    async def list_sessions() -> Response:
        return await _list(desk, desk.principal())

    @blueprint.post("/api/sessions")
    async def create_session() -> Response:
        principal = desk.submitter()
        body = await desk.json_object()
        return await _open(desk, new_session_id(body), parse_opening(body, principal.name))

    @blueprint.get("/api/sessions/<session_id>")
    async def read_session(session_id: str) -> Response:
        snapshot = await desk.session(session_id, desk.principal())
        return await _shown(desk, snapshot.session)

    @blueprint.patch("/api/sessions/<session_id>")
    async def change_session(session_id: str) -> Response:
        await desk.own_session(session_id, desk.principal())
        command = ChangeSession(changed=parse_change(await desk.json_object()))
        return await _shown(desk, (await desk.sessions.ask(session_id, command)).session)

    @blueprint.delete("/api/sessions/<session_id>")
    async def delete_session(session_id: str) -> Response:
        await desk.own_session(session_id, desk.principal())
        await desk.sessions.ask(session_id, DeleteSession())
        return json_response({"object": "hermes.session.deleted", "id": session_id, "deleted": True})

    @blueprint.get("/api/sessions/<session_id>/messages")
    async def list_messages(session_id: str) -> Response:
        return await _messages(desk, session_id, desk.principal())

    @blueprint.post("/api/sessions/<session_id>/fork")
    async def fork_session(session_id: str) -> Response:
        return await _fork(desk, session_id, desk.submitter())

    return blueprint


async def _list(desk: Desk, principal: Principal) -> Response:
    args = request.args
    limit, title = limit_of(args), args.get("title")
    offset = number_of(args, "offset", least=0, most=_OFFSET_MAX, default=0)
    wanted = SessionFilter(
        principal=principal.sees,
        title=title,
        source=args.get("source"),
        hidden=title is not None and args.get("include_hidden") in ("1", "true"),
    )
    page = await desk.sessions.store.sessions(wanted, after=args.get("after"), offset=offset, limit=limit)
    facts = await desk.sessions.store.facts(tuple(item.session_id for item in page.items))
    data = [views.session(item, facts[item.session_id]) for item in page.items]
    return json_response(listing(data, has_more=page.has_more, limit=limit, offset=offset))


async def _open(desk: Desk, session_id: str, opened: SessionOpened) -> Response:
    view = await desk.sessions.ask(session_id, OpenSession(opened=opened))
    return await _shown(desk, view.session, 201)


async def _shown(desk: Desk, record: SessionRecord, status: int = 200) -> Response:
    facts = await desk.sessions.store.facts((record.session_id,))
    return json_response(
        {"object": "hermes.session", "session": views.session(record, facts[record.session_id])},
        status,
        desk.id_headers(record.session_id),
    )


async def _messages(desk: Desk, session_id: str, principal: Principal) -> Response:
    await desk.session(session_id, principal)
    args = request.args
    limit = limit_of(args, most=MESSAGES_MAX, default=MESSAGES_MAX)
    offset = number_of(args, "offset", least=0, most=_OFFSET_MAX, default=0)
    order = args.get("order", "latest")
    if order not in _ORDERS:
        raise InvalidInput("`order` is latest or oldest.", code="invalid_pagination", param="order")
    found = await desk.sessions.store.messages(
        session_id, offset=offset, limit=limit + 1, newest=_ORDERS[order]
    )
    # The one too many is at the far end from where the page was counted.
    records = found[-limit:] if _ORDERS[order] else found[:limit]
    pagination = {"limit": limit, "offset": offset, "order": order, "returned": len(records)}
    data = [views_session.message(item, session_id) for item in records]
    return json_response(
        listing(data, has_more=len(found) > limit, session_id=session_id, pagination=pagination)
    )


async def _fork(desk: Desk, session_id: str, principal: Principal) -> Response:
    """The child is there before the parent is ended: a fork that fails leaves the parent as it was."""
    parent = (await desk.own_session(session_id, principal)).session
    body = await desk.json_object()
    opened = SessionOpened(
        principal=principal.name,
        source=parent.source,
        title=parse_title(body) or parent.title,
        system_prompt=parent.system_prompt,
        parent=session_id,
        inherited=await desk.sessions.store.transcript(session_id),
    )
    response = await _open(desk, new_session_id(body), opened)
    await desk.sessions.ask(session_id, ChangeSession(changed=SessionChanged(end_reason="branched")))
    return response
