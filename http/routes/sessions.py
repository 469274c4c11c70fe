"""`/api/sessions`: making a session and talking to it."""

from __future__ import annotations

import secrets
from typing import Any

from quart import Blueprint, Response

from placet.actors.protocol.commands import OpenSession
from placet.actors.protocol.errors import InvalidInput
from placet.actors.protocol.events import SessionOpened
from placet.actors.protocol.ids import check_session_id
from placet.http import views
from placet.http.desk import Desk, json_response
from placet.http.fields import check_field

TITLE_MAX = 100
"""Characters of a title: one line in a list."""


def routes(desk: Desk) -> Blueprint:
    """The session routes."""
    blueprint = Blueprint("sessions", __name__)

    @blueprint.post("/api/sessions")
    async def create_session() -> Response:
        principal = desk.submitter()
        body = await desk.json_object()
        session_id, opened = _new_session(body, principal.name)
        view = await desk.sessions.ask(session_id, OpenSession(opened=opened))
        return json_response(
            {"object": "hermes.session", "session": views.session(view.session)},
            201,
            desk.id_headers(session_id),
        )

    return blueprint


def _new_session(body: dict[str, Any], principal: str) -> tuple[str, SessionOpened]:
    given = check_field(body, "id", str) or check_field(body, "session_id", str)
    session_id = check_session_id(given or f"api_{secrets.token_hex(8)}", param="id")
    title = check_field(body, "title", str)
    if title is not None and len(title) > TITLE_MAX:
        raise InvalidInput(
            f"A title has at most {TITLE_MAX} characters.", code="invalid_title", param="title"
        )
    source = check_field(body, "source", str) or "api_server"
    system_prompt = check_field(body, "system_prompt", str)
    return session_id, SessionOpened(
        principal=principal, source=source, title=title, system_prompt=system_prompt
    )
