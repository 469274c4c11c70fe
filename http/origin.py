"""From which pages, and under which name of this machine, a browser may connect.

No CORS rule keeps a foreign page from opening a WebSocket, so the server must. And a server without keys must know by which name it
was called: a stranger's name that was made to point here makes a stranger's page one of our own.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOST: Final = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]*)?")


def is_loopback(host: str) -> bool:
    """Whether a `Host` names this very machine: `localhost`, an address of 127.0.0.0/8, or `[::1]`, with or without a port."""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    if found["name"] is not None and found["name"].lower() == "localhost":
        return True
    try:
        address = IPv4Address(found["name"]) if found["v6"] is None else IPv6Address(found["v6"])
    except ValueError:
        return False
    return address.is_loopback


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
    except ValueError:
        return False
    same = page.scheme in {"http", "https"} and page.netloc.lower() == host.lower() != ""
    return same and (not no_auth or is_loopback(page.netloc))
