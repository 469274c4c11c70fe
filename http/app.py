"""The application: its routes and what holds for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.http.cors import register_cors, require_loopback
from placet.http.json_app import JsonApp
from placet.http.routes import (
    answer,
    approvals,
    capabilities,
    chat,
    console,
    console_live,
    decisions,
    docs,
    responses,
    runs,
    server,
    session_turns,
    sessions,
    ws,
)

if TYPE_CHECKING:
    from quart_trio import QuartTrio

    from placet.actors.runtime import LoopLagMonitor
    from placet.http.desk import Desk


def create_app(desk: Desk, lag: LoopLagMonitor) -> QuartTrio:
    """The Quart application over open sessions.

    Args:
        desk: the sessions, the settings, the keys.
        lag: measures the loop, for the health report.
    """
    app = JsonApp("placet")
    app.url_map.strict_slashes = False  # the framework's redirect would not be JSON
    app.config["MAX_CONTENT_LENGTH"] = None  # `read_body` counts, and answers in our own words
    app.config["RESPONSE_TIMEOUT"] = None  # a prompt waits for a person, also without a stream
    app.config["BODY_TIMEOUT"] = None  # the connection times out slow senders
    if desk.config.no_auth:
        require_loopback(app)
    register_cors(app, desk.config.cors_origins, no_auth=desk.config.no_auth)
    for blueprint in (
        chat.routes(desk),
        sessions.routes(desk),
        session_turns.routes(desk),
        runs.routes(desk),
        responses.routes(desk),
        approvals.routes(desk),
        decisions.routes(desk),
        answer.routes(desk),
        server.routes(desk, lag),
        capabilities.routes(desk),
        console.routes(),
        console_live.routes(desk, lag),
        docs.routes(),
        ws.routes(desk),
    ):
        app.register_blueprint(blueprint)
    return app
