"""Which requests a cookie counts for: those of the page that this very server has served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.actors.protocol.errors import NotAllowed
from placet.http.origin import may_connect_from

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

CONSOLE_HEADER: Final = "X-Placet-Console"
"""A header that the page sends with everything. Browsers let no other page send it without asking first, and are told no then."""

_OWN: Final = frozenset({"same-origin", "none"})
"""What `Sec-Fetch-Site` says of our page, and of an address that a person typed."""


def require_own_page(headers: Headers) -> None:
    """Refuse a request that carries the cookie but does not come from our own page.

    A browser sends a cookie with whatever any page asks of this host, also a page on another port, which is the same site to it.
    So the request must say itself where it comes from: by `Origin`, by `Sec-Fetch-Site`, or by our own header, where neither is
    sent, which is with reads over plain HTTP from another machine. What is said must not disagree.

    Args:
        headers: of the request.

    Raises:
        NotAllowed: `origin_not_allowed`.
    """
    origins, sites = headers.getlist("Origin"), headers.getlist("Sec-Fetch-Site")
    said = bool(origins or sites or CONSOLE_HEADER in headers)
    same = may_connect_from(origins, headers.get("Host", ""), (), no_auth=False)
    if not said or not same or not _OWN.issuperset(sites):
        raise NotAllowed(
            "Only this server's own page may send this without a key. Other clients send `Authorization: Bearer <key>`.",
            code="origin_not_allowed",
            param="Origin",
        )
