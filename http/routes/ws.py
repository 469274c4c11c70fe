"""`/api/ws`: viewers by WebSocket, and the tickets with which pages connect."""

from __future__ import annotations

from typing import Final

import trio
from quart import Blueprint, Response, Websocket, websocket, wrappers
from werkzeug.datastructures import Headers

from placet.actors.protocol.errors import NotAuthenticated
from placet.http.auth import Principal, authorization_of
from placet.http.cors import HOST_NOT_ALLOWED
from placet.http.desk import Desk, json_response
from placet.http.origin import is_loopback, may_connect_from
from placet.http.ws import PROTOCOL, TICKET_PREFIX, Peer, Tickets, ticket_in
from placet.http.ws.peer import TRY_AGAIN_LATER

FORBIDDEN: Final = 4403
"""The close code for who may not connect, as a page can read it; a refused handshake would tell it nothing."""

_Gone: Final[type[Exception]] = getattr(wrappers, "ClientDisconnectedError", trio.ClosedResourceError)
"""What newer releases of the framework raise where older ones only cancel the handler."""


class _Refused(Exception):
    """This connection is closed at once."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.goodbye = (code, reason)


class _Socket:
    """The framework's socket as a peer needs it."""

    def __init__(self, socket: Websocket) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except _Gone:
            await trio.sleep_forever()  # the framework is about to cancel this

    async def receive(self) -> str | bytes | None:
        try:
            return await self._socket.receive()
        except _Gone as gone:
            raise trio.EndOfChannel from gone


def routes(desk: Desk) -> Blueprint:
    """The viewers' routes."""
    blueprint = Blueprint("ws", __name__)
    tickets = Tickets(desk.sessions.services.now)

    @blueprint.post("/api/ws/ticket")
    async def ticket() -> Response:
        issued, expires_at = tickets.issue(desk.principal())
        body = {
            "object": "hermes.gateway.ticket",
            "ticket": issued,
            "subprotocols": [PROTOCOL, TICKET_PREFIX + issued],
            "expires_at": expires_at,
        }
        return json_response(body, 201, {"Cache-Control": "no-store"})

    @blueprint.websocket("/api/ws")
    async def viewer() -> None:
        offered = websocket.requested_subprotocols
        subprotocol = PROTOCOL if PROTOCOL in offered else None
        await websocket.accept(Headers(), subprotocol)  # pyright: ignore[reportUnknownMemberType]
        try:
            principal = _admit(desk, tickets)
        except _Refused as refused:
            await websocket.close(*refused.goodbye)
            return
        origin = f"ws {websocket.remote_addr or 'unknown'}"
        goodbye = await Peer(desk, principal, origin, _Socket(websocket)).run()
        if goodbye is not None:
            await websocket.close(*goodbye)

    return blueprint


def _admit(desk: Desk, tickets: Tickets) -> Principal:
    """Who connects, if they may. A ticket is used up by the try."""
    headers, config = websocket.headers, desk.config
    ticket = ticket_in(websocket.requested_subprotocols)
    try:
        principal = (
            desk.keyring.authenticate(authorization_of(headers)) if ticket is None else tickets.redeem(ticket)
        )
    except NotAuthenticated as error:
        raise _Refused(FORBIDDEN, error.code) from error
    if config.no_auth and not is_loopback(headers.get("Host", "")):
        raise _Refused(FORBIDDEN, HOST_NOT_ALLOWED)
    origins = headers.getlist("Origin")
    if not may_connect_from(origins, headers.get("Host", ""), config.cors_origins, no_auth=config.no_auth):
        raise _Refused(FORBIDDEN, "origin_not_allowed")
    if desk.sessions.services.draining:
        raise _Refused(*TRY_AGAIN_LATER)
    return principal
