"""Who asks: keys and the principals behind them."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.errors import NotAuthenticated, StartRefused
from placet.http.api_key import ensure_api_key
from placet.http.config import API_PRINCIPAL, Config, Role
from placet.http.dialect import Dialect

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

__all__ = ["Keyring", "Principal", "Role", "authorization_of", "ensure_api_key", "fingerprint_of"]


class Principal(msgspec.Struct, frozen=True):
    """Someone who holds a key.

    Attributes:
        name: who, in the ledger and the audit.
        role: what it may do.
        approvals: the dialect of its chat streams, where its requests do not say.
    """

    name: str
    role: Role
    approvals: Dialect | None = None

    @property
    def is_operator(self) -> bool:
        """Whether it may do everything."""
        return self.role is Role.OPERATOR

    @property
    def may_decide(self) -> bool:
        """Whether it may answer prompts."""
        return self.role is not Role.CLIENT

    @property
    def may_see_all(self) -> bool:
        """Whether it may see what others submitted."""
        return self.role is not Role.CLIENT

    @property
    def sees(self) -> str | None:
        """Whose things it may see in lists: its own name, or `None` for everybody's."""
        return None if self.may_see_all else self.name

    def may_see(self, owner: str) -> bool:
        """Whether it may see what the principal `owner` submitted."""
        return self.may_see_all or self.name == owner


class Keyring:
    """The principals of a server by their keys. It keeps hashes only.

    Args:
        config: the settings.
        api_key: the key of the principal `api`: the setting, or what `ensure_api_key` gives; `None` only without keys.

    Attributes:
        principals: by the fingerprints of their keys.

    Raises:
        StartRefused: `duplicate_key`. A principal's key is the server's own, or there is no key although keys are required.
    """

    def __init__(self, config: Config, api_key: str | None) -> None:
        self._open_to = Principal(API_PRINCIPAL, Role.OPERATOR) if config.no_auth else None
        self.principals = {
            bytes.fromhex(entry.key_sha256): Principal(entry.name, entry.role, entry.approvals)
            for entry in config.principal
        }
        if api_key is None:
            if not config.no_auth:
                raise StartRefused("The server has no key of its own.", code="missing_api_key")
            return
        digest = fingerprint_of(api_key.encode())
        if digest in self.principals:
            raise StartRefused("A principal of the file has the server's own key.", code="duplicate_key")
        self.principals[digest] = Principal(API_PRINCIPAL, Role.OPERATOR)

    def authenticate(self, authorization: bytes | None) -> Principal:
        """Whose key this is.

        Any bytes are taken; the time that it takes tells nothing about the keys.

        Args:
            authorization: the value of the header as it came, `None` if there was none; `authorization_of` gets it.

        Raises:
            NotAuthenticated: no header, another scheme than Bearer, or a key that is not known.
        """
        if self._open_to is not None:
            return self._open_to
        scheme, _, key = (authorization or b"").strip(b" \t").partition(b" ")
        found = self._owner(key.strip(b" \t"))
        if scheme.lower() != b"bearer" or found is None:
            raise NotAuthenticated(
                "The gateway API key is missing or wrong. Send `Authorization: Bearer <key>`."
            )
        return found

    def _owner(self, key: bytes) -> Principal | None:
        """Compares with every key, also after a match."""
        digest = fingerprint_of(key)
        found = None
        for known, principal in self.principals.items():
            if hmac.compare_digest(known, digest):
                found = principal
        return found if key else None


def authorization_of(headers: Headers) -> bytes | None:
    """The bytes of the `Authorization` header as they came; `None` if there is none, or more than one and so none to trust."""
    values = headers.getlist("Authorization")
    return values[0].encode("latin-1", "replace") if len(values) == 1 else None


def fingerprint_of(key: bytes) -> bytes:
    """The hash that a key is known by."""
    return hashlib.sha256(key).digest()
