"""What a signed-in page's cookie holds, and whose it is.

It is no key and no session of the server's, but a statement that the server has sealed: until when it is good, over the fingerprint
of the key that was shown. So nothing has to be kept: a sign-in survives a restart, an open page goes on by itself, and it ends at
the stated time, when the key is changed, or when its principal is renamed or taken out. The price is that signing out only makes
this browser forget it; whoever fears that a cookie was copied changes the key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final

import msgspec

from placet.actors.protocol.errors import NotAuthenticated
from placet.http.auth import Principal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SIGNED_IN_S: Final = 12 * 3600.0
"""How long a sign-in holds: a working day. After that whoever sits there shows the key again."""

_TOKEN: Final = re.compile(r"([0-9]{1,12})\.([0-9a-f]{64})", re.ASCII)


class SignedIn(msgspec.Struct, frozen=True):
    """A sign-in that holds.

    Attributes:
        principal: who signed in.
        expires_at: until when, Unix seconds.
    """

    principal: Principal
    expires_at: float


class Seal:
    """Seals sign-ins and reads them.

    Args:
        secret: bytes that only this data directory has. The fingerprints alone would not do: they may stand in a file that more
            people read than may hold the keys.
        principals: who holds which key, by the key's fingerprint.
        now: the wall clock, Unix seconds.

    Attributes:
        cookie: the cookie's name. Each data directory has its own, for browsers do not tell the ports of a host apart.
    """

    def __init__(
        self, secret: bytes, principals: Mapping[bytes, Principal], now: Callable[[], float]
    ) -> None:
        self._secret = hmac.digest(secret, b"console sign-in", hashlib.sha256)
        self._principals = principals
        self._now = now
        self.cookie: Final = f"placet_{hmac.new(self._secret, b'name', hashlib.sha256).hexdigest()[:8]}"

    def issue(self, fingerprint: bytes) -> tuple[str, SignedIn]:
        """A new token, and what it says.

        Args:
            fingerprint: of the key that was shown. Somebody must hold it.
        """
        expires_at = int(self._now() + SIGNED_IN_S)
        return f"{expires_at}.{self._mac(expires_at, fingerprint)}", SignedIn(
            self._principals[fingerprint], expires_at
        )

    def read(self, token: str) -> SignedIn:
        """What a token says.

        Any text is taken; the time that it takes tells nothing about the seals.

        Raises:
            NotAuthenticated: it was not sealed here, is too old, or its key is no longer good.
        """
        given = _TOKEN.fullmatch(token)
        expires_at = int(given[1]) if given else 0
        found = None
        for fingerprint, principal in self._principals.items():
            if hmac.compare_digest(self._mac(expires_at, fingerprint), given[2] if given else ""):
                found = principal
        if found is None or expires_at <= self._now():
            raise NotAuthenticated("The sign-in has ended. Sign in again.")
        return SignedIn(found, expires_at)

    def _mac(self, expires_at: int, fingerprint: bytes) -> str:
        name = self._principals[fingerprint].name
        return hmac.new(
            self._secret, b"%d\n%s%s" % (expires_at, fingerprint, name.encode()), "sha256"
        ).hexdigest()
