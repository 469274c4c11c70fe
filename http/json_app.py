"""The framework's app, made to speak JSON whatever goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException

from placet.http.errors import error_response, register_error_handlers
from placet.http.exchange import Exchange

if TYPE_CHECKING:
    from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope
    from quart import Request
    from quart.typing import ResponseTypes


class JsonApp(QuartTrio):
    """An app whose every error is JSON and whose every response has the security headers.

    Args:
        import_name: the module that makes it.
    """

    asgi_http_class = Exchange

    def __init__(self, import_name: str) -> None:
        super().__init__(import_name, static_folder=None)
        register_error_handlers(self)

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Serve one ASGI scope. A target without a path, as in `GET ?x`, would make the framework fall over."""
        if scope["type"] != "lifespan" and not scope["path"].startswith("/"):
            scope["path"] = f"/{scope['path']}"
        await super().__call__(scope, receive, send)

    async def handle_request(self, request: Request) -> ResponseTypes:
        """Answer one request; called by the framework. Cancelled when the client leaves.

        What the framework raises before it has a context for the request, no handler sees: a `Host` that is no host name
        would end in a broken connection.
        """
        try:
            return await super().handle_request(request)
        except HTTPException as error:
            return error_response(error)
