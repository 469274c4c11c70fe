"""Cross-origin requests: which pages of other sites may call, and what their browsers are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quart import Quart, Response, request

from placet.actors.protocol.errors import NotAllowed
from placet.http.origin import is_loopback, may_connect_from

if TYPE_CHECKING:
    from quart.typing import ResponseTypes
    from werkzeug.datastructures import Headers

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

REQUEST_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "User-Agent",
    "X-Hermes-Session-Id",
    "X-Hermes-Session-Key",
    "X-Placet-Approvals",
    "X-Placet-On-Busy",
    "X-Session-Id",
)
"""`User-Agent` is among them because SDKs set it, and some browsers then ask for it."""

EXPOSED_HEADERS: Final = (
    "Idempotency-Replayed",
    "Retry-After",
    "X-Hermes-Session-Id",
    "X-Hermes-Session-Key",
    "X-Session-Id",
    "X-Should-Retry",
)

MAX_AGE_S: Final = 600
"""How long a browser may remember a preflight. Chromium remembers at most two hours, and a changed setting should show."""

_SDK_HEADER_PREFIX = "x-stainless-"
"""OpenAI's SDKs tell about themselves in a dozen headers of this prefix, and a browser asks for each one."""

_ANY = "*"

HOST_NOT_ALLOWED: Final = "host_not_allowed"
"""The code for who calls a server without keys by a name that is not this machine's own."""


def register_cors(app: Quart, origins: tuple[str, ...], *, no_auth: bool) -> None:
    """Let the pages of some origins call `app`, and refuse those of others with 403 `origin_not_allowed`, on every path and method.

    A request without `Origin`, or with that of the page that the server itself serves, is none of this module's business. Without
    origins nothing is done at all, and browsers keep other pages out by themselves; except that a server without keys refuses
    foreign pages nevertheless. There a page needs no secret, and what it sends blindly would be done although it cannot read the
    answer. WebSockets have their own rule, since no browser asks before it opens one.

    Args:
        app: the application. The headers go on every response of it, streams and errors included.
        origins: who may call, such as `https://example.org`, or `*`.
        no_auth: whether the server runs without keys.
    """
    if not origins and not no_auth:
        return

    async def check() -> Response | None:
        headers = request.headers
        given, host = headers.getlist("Origin"), headers.get("Host", "")
        if not may_connect_from(given, host, origins, no_auth=no_auth):
            raise NotAllowed(
                "Pages of this origin may not call this server. Its operator can add the origin to `cors_origins`.",
                code="origin_not_allowed",
                param="Origin",
            )
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in headers:
            return Response(b"", status=204)
        return None

    async def add(response: ResponseTypes) -> ResponseTypes:
        _tell(request.headers, response.headers, origins, preflight=request.method == "OPTIONS")
        return response

    app.before_request(check)
    app.after_request(add)


def require_loopback(app: Quart) -> None:
    """Refuse every request of `app` that calls the server by another name than this machine's own, with 403 `host_not_allowed`.

    Without keys nothing else would keep out the page of a stranger whose name was made to point here (DNS rebinding): to its
    browser it is a page of this server. WebSockets are refused where they are opened.

    Args:
        app: the application of a server without keys, which listens on this machine only.
    """

    async def check() -> None:
        if not is_loopback(request.headers.get("Host", "")):
            raise NotAllowed(
                "A server without keys answers only to localhost, 127.0.0.0/8 and [::1].",
                code=HOST_NOT_ALLOWED,
                param="Host",
            )

    app.before_request(check)


def _tell(asked: Headers, headers: Headers, origins: tuple[str, ...], *, preflight: bool) -> None:
    """Tell the browser what its page may do. Of credentials nothing is said: keys travel in `Authorization`, never in cookies."""
    if origins and _ANY not in origins:
        headers.add("Vary", "Origin")  # also on what no page asked for: a cache may keep it
    origin = asked.get("Origin")
    if origin is None or not (_ANY in origins or origin in origins):
        return
    headers["Access-Control-Allow-Origin"] = _ANY if _ANY in origins else origin
    headers["Access-Control-Expose-Headers"] = ", ".join(EXPOSED_HEADERS)
    if preflight:
        headers["Access-Control-Allow-Methods"] = ", ".join(METHODS)
        headers["Access-Control-Allow-Headers"] = ", ".join((*REQUEST_HEADERS, *_sdk_headers(asked)))
        headers["Access-Control-Max-Age"] = str(MAX_AGE_S)


def _sdk_headers(asked: Headers) -> list[str]:
    names = (name.strip() for name in asked.get("Access-Control-Request-Headers", "").split(","))
    return [name for name in names if name.lower().startswith(_SDK_HEADER_PREFIX)]
