"""The framework's app, made to speak JSON whatever goes wrong, and to come to a handler by a short way."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from quart import Response
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException

from placet.http.current import Current
from placet.http.errors import error_response, register_error_handlers, response_to
from placet.http.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope
    from quart import Request
    from quart.typing import ResponseReturnValue, ResponseTypes

    View = Callable[[], Awaitable[ResponseReturnValue]]

# Names and addresses of which nobody could doubt that they are some. What the framework thinks of others, it says itself.
_HOST: Final = re.compile(
    r"(?:(?:[A-Za-z0-9-]{1,63}\.){0,9}[A-Za-z0-9-]{1,63}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
)


class JsonApp(QuartTrio):
    """An app whose every error is JSON and whose every response has the security headers.

    A request that a route takes goes straight to its handler: what the framework does between the two is half of what a small
    request costs. Called on the way are the app's own `before_request` and `after_request` functions. Not called is what nothing
    here uses: signals, teardown and URL functions, sessions in cookies, and hooks of blueprints.

    Args:
        import_name: the module that makes it.
    """

    asgi_http_class = Exchange

    def __init__(self, import_name: str) -> None:
        super().__init__(import_name, static_folder=None)
        register_error_handlers(self)
        self._paths = self.url_map.bind("")

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Serve one ASGI scope. A target without a path, as in `GET ?x`, would make the framework fall over."""
        if scope["type"] != "lifespan" and not scope["path"].startswith("/"):
            scope["path"] = f"/{scope['path']}"
        if scope["type"] == "http":
            await Exchange(self, scope)(receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def handle_request(self, request: Request) -> ResponseTypes:
        """Answer one request; called by the framework. Cancelled when the client leaves."""
        view = self._view(request)
        if view is None:
            return await self._handle_unrouted(request)
        with Current(self, request):
            try:
                response = await self.make_response(await self._ask(view))
            except Exception as error:  # the edge
                response = response_to(error)
            for add in self.after_request_funcs[None]:
                response = cast("ResponseTypes", await self.ensure_async(add)(response))
        return response

    def _view(self, request: Request) -> View | None:
        """The handler of a request with its arguments; `None` if there is none, or something is odd."""
        if request.method == "OPTIONS" or not _HOST.fullmatch(request.headers.get("Host", "")):
            return None
        try:
            rule, arguments = self._paths.match(request.path, request.method, return_rule=True)
        except HTTPException:
            return None
        view = partial(self.ensure_async(self.view_functions[rule.endpoint]), **arguments)
        return cast("View", view)

    async def _ask(self, view: View) -> ResponseReturnValue:
        for check in self.before_request_funcs[None]:
            result = await self.ensure_async(check)()
            if result is not None:
                return cast("ResponseReturnValue", result)
        return await view()

    async def _handle_unrouted(self, request: Request) -> ResponseTypes:
        """The framework's way, which knows every reason why there is no handler.

        What it raises before it has a context for the request, no handler sees: a `Host` that is no host name would end in a broken
        connection. Its redirects, of a path with two slashes in a row, are pages; only where they lead matters.
        """
        try:
            response = await super().handle_request(request)
        except HTTPException as error:
            return error_response(error)
        if isinstance(response, Response):
            return response
        return Response(b"", status=response.status_code, headers=response.headers)
