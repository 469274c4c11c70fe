"""`/api/sessions`: sessions as things that are made, listed, changed, forked and deleted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from quart import Blueprint, Response, request

from placet.actors.protocol.commands import ChangeSession, DeleteSession, OpenSession
from placet.actors.protocol.events import SessionChanged, SessionOpened
from placet.actors.store import SessionFilter
from placet.http import views, views_session
from placet.http.desk import Desk, json_response
from placet.http.once import once, use_of
from placet.http.paging import listing
from placet.http.requests.queries import MessagesPage, SessionsPage
from placet.http.session_request import Fork, SessionChange, SessionRequest, new_session_id

if TYPE_CHECKING:
    from placet.actors.protocol.records import SessionRecord
    from placet.http.auth import Principal


def routes(desk: Desk) -> Blueprint:
    """The session routes."""
    blueprint = Blueprint("sessions", __name__)

    @blueprint.get("/api/sessions")
    async def list_sessions() -> Response:
        return await _list(desk, desk.principal())

    @blueprint.post("/api/sessions")
    async def create_session() -> Response:
        principal = desk.submitter()
        asked = await desk.body(SessionRequest)
        session_id = new_session_id(asked)
        use = use_of(principal, request.headers, "sessions", target="", asked=asked, subject=session_id)
        earlier = await once(
            desk.sessions, use, partial(_open, desk, session_id, asked.opened_by(principal.name, use))
        )
        return await _made(desk, principal, session_id, earlier)

    @blueprint.get("/api/sessions/<session_id>")
    async def read_session(session_id: str) -> Response:
        snapshot = await desk.session(session_id, desk.principal())
        return await _shown(desk, snapshot.session)

    @blueprint.patch("/api/sessions/<session_id>")
    async def change_session(session_id: str) -> Response:
        await desk.own_session(session_id, desk.principal())
        command = ChangeSession(changed=(await desk.body(SessionChange)).event)
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
    query = desk.query(SessionsPage)
    wanted = SessionFilter(
        principal=principal.sees,
        title=query.title,
        source=query.source,
        hidden=query.title is not None and query.include_hidden in ("1", "true"),
        words=query.q,
    )
    page = await desk.sessions.store.sessions(
        wanted, after=query.after, offset=query.offset, limit=query.limit
    )
    facts = await desk.sessions.store.facts(tuple(item.session_id for item in page.items))
    data = [views.session(item, facts[item.session_id]) for item in page.items]
    return json_response(listing(data, has_more=page.has_more, limit=query.limit, offset=query.offset))


async def _open(desk: Desk, session_id: str, opened: SessionOpened) -> None:
    await desk.sessions.ask(session_id, OpenSession(opened=opened))


async def _made(desk: Desk, principal: Principal, session_id: str, earlier: str | None) -> Response:
    """The session that was made, now or by an earlier try of this very request."""
    made = (await desk.session(earlier or session_id, principal)).session
    return await _shown(desk, made, 201, replayed=earlier is not None)


async def _shown(desk: Desk, record: SessionRecord, status: int = 200, *, replayed: bool = False) -> Response:
    facts = await desk.sessions.store.facts((record.session_id,))
    return json_response(
        {"object": "hermes.session", "session": views.session(record, facts[record.session_id])},
        status,
        desk.id_headers(record.session_id, replayed=replayed),
    )


async def _messages(desk: Desk, session_id: str, principal: Principal) -> Response:
    await desk.session(session_id, principal)
    query = desk.query(MessagesPage)
    limit, newest = query.limit, query.order == "latest"
    found = await desk.sessions.store.messages(
        session_id, offset=query.offset, limit=limit + 1, newest=newest
    )
    # The one too many is at the far end from where the page was counted.
    records = found[-limit:] if newest else found[:limit]
    pagination = {**msgspec.structs.asdict(query), "returned": len(records)}
    data = [views_session.message(item, session_id) for item in records]
    return json_response(
        listing(data, has_more=len(found) > limit, session_id=session_id, pagination=pagination)
    )


async def _fork(desk: Desk, session_id: str, principal: Principal) -> Response:
    """The child is there before the parent is ended: a fork that fails leaves the parent as it was."""
    parent = (await desk.own_session(session_id, principal)).session
    asked = await desk.body(Fork)
    child = new_session_id(asked)
    use = use_of(principal, request.headers, "fork", target=session_id, asked=asked, subject=child)
    opened = SessionOpened(
        principal=principal.name,
        source=parent.source,
        title=asked.title or parent.title,
        system_prompt=parent.system_prompt,
        parent=session_id,
        inherited=await desk.sessions.store.transcript(session_id),
        use=use,
    )

    async def fork() -> None:
        await _open(desk, child, opened)
        await desk.sessions.ask(session_id, ChangeSession(changed=SessionChanged(end_reason="branched")))

    return await _made(desk, principal, child, await once(desk.sessions, use, fork))
