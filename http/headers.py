"""Headers that every response carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from quart import Quart
    from quart.typing import ResponseTypes

_Response = TypeVar("_Response", bound="ResponseTypes")

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-XSS-Protection": "0",
}
"""For an API, whose answers no page should run, frame or guess the type of."""


def register_security_headers(app: Quart) -> None:
    """Put the security headers on every response of `app`, errors included.

    A response that sets one of them itself, such as a page with its own content policy, keeps its own.
    """

    async def add(response: ResponseTypes) -> ResponseTypes:
        return with_security_headers(response)

    app.after_request(add)


def with_security_headers(response: _Response) -> _Response:
    """The response, with those of the security headers that it has not set itself."""
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    return response
