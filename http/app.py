"""The application: its routes and what holds for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart_trio import QuartTrio

from placet.http.errors import register_error_handlers
from placet.http.headers import register_security_headers
from placet.http.routes import approvals, chat, runs, server, sessions

if TYPE_CHECKING:
    from placet.actors.runtime import LoopLagMonitor
    from placet.http.desk import Desk


def create_app(desk: Desk, lag: LoopLagMonitor) -> QuartTrio:
    """The Quart application over open sessions.

    Args:
        desk: the sessions, the settings, the keys.
        lag: measures the loop, for the health report.
    """
    app = QuartTrio("placet", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = None  # `read_body` counts, and answers in our own words
    app.config["RESPONSE_TIMEOUT"] = None  # a prompt waits for a person, also without a stream
    app.config["BODY_TIMEOUT"] = None  # the connection times out slow senders
    register_error_handlers(app)
    register_security_headers(app)
    for blueprint in (
        chat.routes(desk),
        sessions.routes(desk),
        runs.routes(desk),
        approvals.routes(desk),
        server.routes(desk, lag),
    ):
        app.register_blueprint(blueprint)
    return app
