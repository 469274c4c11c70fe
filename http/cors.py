"""Cross-origin requests: which pages of other sites may call, and what their browsers are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quart import Quart, Response, request, websocket

from placet.actors.protocol.errors import NotAllowed

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


def register_cors(app: Quart, origins: tuple[str, ...], *, no_auth: bool) -> None:
    """Let the pages of some origins call `app`, and refuse those of others with 403 `origin_not_allowed`, on every path and method.

    A request without `Origin`, or with that of the page that the server itself serves, is none of this module's business. Without
    origins nothing is done at all, and browsers keep other pages out by themselves; except that a server without keys refuses
    foreign pages nevertheless. There a page needs no secret, and what it sends blindly would be done although it cannot read the
    answer.

    Args:
        app: the application. The headers go on every response of it, streams and errors included.
        origins: who may call, such as `https://example.org`, or `*`.
        no_auth: whether the server runs without keys.
    """
    if not origins and not no_auth:
        return
    policy = _Policy(origins)

    async def check() -> Response | None:
        policy.check(request.headers)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return Response(b"", status=204)
        return None

    async def check_websocket() -> None:
        policy.check(websocket.headers)

    async def add(response: ResponseTypes) -> ResponseTypes:
        policy.answer(request.headers, response.headers, preflight=request.method == "OPTIONS")
        return response

    app.before_request(check)
    app.before_websocket(check_websocket)
    app.after_request(add)


class _Policy:
    """Who may call, and the headers that say so. None is about credentials: keys travel in `Authorization`, never in cookies.

    Args:
        origins: who may call.
    """

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = frozenset(origin.lower() for origin in origins)

    def check(self, headers: Headers) -> None:
        """Refuse a foreign page.

        Raises:
            NotAllowed: `origin_not_allowed`.
        """
        origin = headers.get("Origin")
        if origin is not None and not self._allows(origin) and not _is_own(origin, headers):
            raise NotAllowed(
                "Pages of this origin may not call this server. Its operator can add the origin to `cors_origins`.",
                code="origin_not_allowed",
                param="Origin",
            )

    def answer(self, asked: Headers, headers: Headers, *, preflight: bool) -> None:
        """Tell the browser what its page may do.

        Args:
            asked: the headers of the request.
            headers: those of the response; they are added to.
            preflight: whether the browser asks before its page does.
        """
        if self._origins and _ANY not in self._origins:
            headers.add("Vary", "Origin")  # also on what no page asked for: a cache may keep it
        origin = asked.get("Origin")
        if origin is None or not self._allows(origin):
            return
        headers["Access-Control-Allow-Origin"] = _ANY if _ANY in self._origins else origin
        headers["Access-Control-Expose-Headers"] = ", ".join(EXPOSED_HEADERS)
        if preflight:
            headers["Access-Control-Allow-Methods"] = ", ".join(METHODS)
            headers["Access-Control-Allow-Headers"] = ", ".join((*REQUEST_HEADERS, *_sdk_headers(asked)))
            headers["Access-Control-Max-Age"] = str(MAX_AGE_S)

    def _allows(self, origin: str) -> bool:
        return _ANY in self._origins or origin.lower() in self._origins


def _is_own(origin: str, headers: Headers) -> bool:
    """Whether the page came from this server. The scheme is not compared: a proxy may have ended TLS before us."""
    try:
        return urlsplit(origin).netloc.lower() == headers.get("Host", "").lower() != ""
    except ValueError:
        return False


def _sdk_headers(asked: Headers) -> list[str]:
    names = (name.strip() for name in asked.get("Access-Control-Request-Headers", "").split(","))
    return [name for name in names if name.lower().startswith(_SDK_HEADER_PREFIX)]
