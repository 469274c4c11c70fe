"""`/v1/console`: who sits at the console, and the one stream that its page follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio
from quart import Blueprint, Response, request

from placet import __version__
from placet.actors.protocol.errors import NotAllowed, NotAuthenticated
from placet.http.auth import fingerprint_of
from placet.http.console_events import ConsoleRenderer, Lane, Lanes, ListsLane, LogLane, read_cursor
from placet.http.desk import Desk, json_response
from placet.http.follow import Follower
from placet.http.health import actor_details, health_details
from placet.http.inbox import InboxFollower, InboxRenderer
from placet.http.requests.console import LAST_CURSOR, Following, SignIn
from placet.http.requests.parameters import read_header, unknown_place
from placet.http.resume import watch_session
from placet.http.run_stream import LogRenderer
from placet.http.signin import Attempts, require_own_page
from placet.http.sse import CLOSED, EventBody, event_response

if TYPE_CHECKING:
    from placet.actors.runtime import LoopLagMonitor
    from placet.http.auth import Principal

_NO_STORE: Final = {"Cache-Control": "no-store"}


def routes(desk: Desk, lag: LoopLagMonitor) -> Blueprint:
    """The console's own routes."""
    blueprint = Blueprint("console_live", __name__)
    attempts = Attempts(trio.current_time)

    @blueprint.post("/v1/console/session")
    async def sign_in() -> Response:
        return await _sign_in(desk, attempts)

    @blueprint.get("/v1/console/session")
    async def who_am_i() -> Response:
        signed_in = desk.signed_in()
        return _who(desk, desk.principal(), None if signed_in is None else signed_in.expires_at)

    @blueprint.delete("/v1/console/session")
    async def sign_out() -> Response:
        require_own_page(request.headers)
        response = json_response({"object": "console.session.deleted", "deleted": True}, headers=_NO_STORE)
        response.delete_cookie(desk.seal.cookie)
        return response

    @blueprint.get("/v1/console/events")
    async def events() -> Response:
        return await _events(desk, desk.principal())

    @blueprint.get("/v1/console/server")
    async def server() -> Response:
        if not desk.principal().is_operator:
            raise NotAllowed("Looking into the server takes the role operator.", code="role_required")
        services, registry = desk.sessions.services, desk.sessions.registry
        body = await health_details(services, registry, lag, desk.hooks)
        return json_response(body | {"object": "console.server", "actors": actor_details(services, registry)})

    return blueprint


async def _sign_in(desk: Desk, attempts: Attempts) -> Response:
    """A right key gets a cookie, for this host alone, that no script can read and no other site makes the browser send."""
    require_own_page(request.headers)
    address = request.remote_addr or "unknown"
    attempts.check(address)
    key = (await desk.body(SignIn)).key.strip().encode()
    try:
        principal = desk.keyring.authenticate(b"Bearer " + key)
    except NotAuthenticated:
        attempts.count_wrong(address)
        raise
    if desk.config.no_auth:
        return _who(desk, principal, None)
    token, signed_in = desk.seal.issue(fingerprint_of(key))
    response = _who(desk, principal, signed_in.expires_at)
    response.set_cookie(
        desk.seal.cookie,
        token,
        expires=int(signed_in.expires_at),
        httponly=True,
        samesite="Strict",
        # The browser itself says by which scheme it came; what is between it and here need not be trusted.
        secure=request.headers.get("Origin", "").startswith("https:"),
    )
    return response


def _who(desk: Desk, principal: Principal, expires_at: float | None) -> Response:
    config = desk.config
    body: dict[str, Any] = {
        "object": "console.session",
        "principal": principal.name,
        "role": principal.role.value,
        "may_decide": principal.may_decide,
        "decides_own": not config.approver_not_requester,
        "sign_in_required": not config.no_auth,
        "expires_at": expires_at,
        "now": desk.sessions.services.now(),
        "heartbeat_s": config.heartbeat_s,
        "confined": config.confined,
        "version": __version__,
    }
    return json_response(body, headers=_NO_STORE)


async def _events(desk: Desk, principal: Principal) -> Response:
    asked = desk.query(Following)
    word = read_header(request.headers, LAST_CURSOR) or asked.after
    cursor = None if word is None else read_cursor(word)
    snapshot = await desk.sessions.store.inbox_snapshot(principal.sees)
    if cursor is not None and cursor.position > snapshot.position:
        raise unknown_place("after")
    reached = [snapshot.position, 0] if cursor is None else list(cursor)
    inbox = LogLane(
        InboxFollower(desk.sessions, principal.sees, reached[0]),
        InboxRenderer(snapshot if cursor is None else None),
        reached,
        0,
    )
    lanes: list[Lane] = [inbox, ListsLane(desk.sessions.services.lists)]
    if asked.session is not None:
        lanes.append(await _session_lane(desk, principal, asked.session, reached))
    body = EventBody(ConsoleRenderer(lanes), Lanes(lanes), desk.config.heartbeat_s, farewell=CLOSED)
    return event_response(body, {})


async def _session_lane(desk: Desk, principal: Principal, session_id: str, reached: list[int]) -> Lane:
    session = (await desk.session(session_id, principal)).session
    after = reached[1]
    watched = await watch_session(desk.sessions, session_id, after)
    renderer = LogRenderer(watched, session.principal, after=after, ends_with=None)
    follower = Follower(
        desk.sessions, session_id, None, after=after, head_seq=watched.head_seq, tail=watched.tail
    )
    return LogLane(follower, renderer, reached, 1)
