"""From which pages a browser may connect. No CORS rule keeps a foreign page from opening a WebSocket, so the server must."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def may_connect_from(origins: Sequence[str], host: str, allowed: Sequence[str], *, no_auth: bool) -> bool:
    """Whether a handshake may go on.

    Without an `Origin` it comes from no browser and the key decides. With one it must be a page of this very server, or of an
    origin that the settings name. The scheme is not compared, for behind a proxy that ends TLS the two sides name different ones.

    Args:
        origins: the values of all `Origin` headers.
        host: the value of `Host`.
        allowed: the setting `cors_origins`; `*` allows every page.
        no_auth: whether no key is asked for. Then the page's host must be a loopback name besides: any other name may be a
            stranger's that was made to point here.
    """
    if not origins:
        return True
    if len(origins) > 1:
        return False
    origin = origins[0]
    if "*" in allowed or origin.lower() in {item.lower() for item in allowed}:
        return True
    try:
        page = urlsplit(origin)
        hostname = page.hostname
    except ValueError:
        return False
    same = page.scheme in {"http", "https"} and page.netloc.lower() == host.lower() != ""
    return same and (not no_auth or hostname in _LOOPBACK)
