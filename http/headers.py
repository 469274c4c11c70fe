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


def add_security_headers(headers: Headers) -> None:
    """Add those of the security headers that a response does not set itself, as a page with its own content policy does.

    Args:
        headers: of the response.
    """
    present = {name.lower() for name, _ in headers}
    headers.extend([(name, value) for name, value in SECURITY_HEADERS.items() if name.lower() not in present])
