"""By which way: the proxies that the environment names, as curl and every other HTTP client read them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from placet.actors.agents.model.transport.address import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from placet.actors.agents.model.transport.address import Address


class Proxies:
    """Which proxy leads to an address.

    Args:
        named: a URL for `http`, `https` and `all`; by default what `HTTP_PROXY` and its like say now.
        bypassed: whether a host is reached without one; by default what `NO_PROXY` says.
    """

    def __init__(
        self, named: Mapping[str, str] | None = None, bypassed: Callable[[str], object] = proxy_bypass
    ) -> None:
        self._named = getproxies() if named is None else named
        self._bypassed = bypassed

    def of(self, address: Address) -> Target | None:
        """The proxy for an address; `None` if it is reached directly.

        Raises:
            UnsupportedAddress: it is of a kind that is not spoken here, such as SOCKS.
        """
        url = self._named.get("https" if address.secure else "http") or self._named.get("all")
        if not url or self._bypassed(address.host):
            return None
        return Target.of(url if "://" in url else f"http://{url}")
