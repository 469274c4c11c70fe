"""Where a request goes."""

from __future__ import annotations

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

import idna

_PORTS = {"http": 80, "https": 443}


class UnsupportedAddress(Exception):
    """No URL, or one of a kind that is not spoken here."""


class Address(NamedTuple):
    """One end of a connection.

    Attributes:
        host: a name in its ASCII form, or an IP address without brackets.
        port: of TCP.
        secure: whether TLS is spoken there.
    """

    host: str
    port: int
    secure: bool

    @property
    def authority(self) -> str:
        """Host and port as one word, the port always there."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Target(NamedTuple):
    """A URL, taken apart once.

    Attributes:
        address: where it is.
        host: for the `Host` header: without the port if that is the usual one.
        path: with the query.
        basic: the value of an `Authorization` header, if the URL has a name and a password in it.
    """

    address: Address
    host: str
    path: str
    basic: str | None

    @classmethod
    def of(cls, url: str) -> Target:
        """Take a URL apart.

        Raises:
            UnsupportedAddress: it is no URL of HTTP, or its host or port is none.
        """
        try:
            parts = urlsplit(url)
            address = _address(parts)
        except ValueError as error:
            raise UnsupportedAddress(f"no URL: {error}") from error
        usual = _PORTS[parts.scheme]
        host = address.authority
        if address.port == usual:
            host = host.removesuffix(f":{usual}")
        path = parts.path or "/"
        return cls(address, host, f"{path}?{parts.query}" if parts.query else path, _basic(parts))


def _address(parts: SplitResult) -> Address:
    if parts.scheme not in _PORTS or not parts.hostname:
        raise UnsupportedAddress(f"{parts.scheme or 'a URL without a scheme'} is not spoken here")
    return Address(_ascii(parts.hostname), parts.port or _PORTS[parts.scheme], parts.scheme == "https")


def _ascii(host: str) -> str:
    return host if host.isascii() else idna.encode(host, uts46=True).decode()


def _basic(parts: SplitResult) -> str | None:
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + b64encode(pair.encode()).decode()
