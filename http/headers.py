"""Headers that every response carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

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

_SECURITY: Final = tuple((name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items())


def wire_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The headers of a response as they are sent, their names in lower case.

    Those of the security headers are added that it does not set itself, as a page with its own content policy does.

    Args:
        headers: of the response.
    """
    own = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    names = {name for name, _ in own}
    return own + [pair for pair in _SECURITY if pair[0] not in names]
