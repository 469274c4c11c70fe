"""Answer links: who may have one, what it says, and whether one that comes back is ours.

Nothing is stored of a link. It names the prompt, its generation and the beginning of its digest, the webhook that carried it, and
until when it is good, and is sealed with a key of the data directory. It can be used once because a prompt can be answered once.
It dies with its webhook: when that is taken out of the settings, or may not decide any more.
"""

from __future__ import annotations

import base64
import hmac
import re
from typing import TYPE_CHECKING, Final

import msgspec

from placet.actors.protocol.approvals import CLARIFY, ApprovalStatus
from placet.http.auth import Principal
from placet.http.config import API_PRINCIPAL, Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.protocol.records import ApprovalRecord
    from placet.http.config import Config

PATH: Final = "/answer/"

_DIGEST: Final = 16
"""Characters of the digest in a link: it is sealed, so they need not withstand a search, and addresses should be short."""

_TOKEN: Final = re.compile(
    r"(?P<said>(?P<request>[0-9A-Za-z_-]{1,64})\.(?P<generation>[0-9]{1,9})\.(?P<digest>[0-9a-f]{16})"
    r"\.(?P<expires>[0-9]{1,12})\.(?P<webhook>[0-9A-Za-z_-]{1,32}))\.(?P<seal>[0-9A-Za-z_-]{43})",
    re.ASCII,
)


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link that this server has made.

    Attributes:
        request_id: the prompt.
        generation: under which it was told of.
        digest: the beginning of its digest.
        expires_at: until when it is good, Unix seconds.
        webhook: the name of the webhook that carried it.
    """

    request_id: str
    generation: int
    digest: str
    expires_at: int
    webhook: str

    @property
    def decided_by(self) -> str:
        """Whom a decision by it is recorded for."""
        return f"link:{self.webhook}"

    def fits(self, row: ApprovalRecord) -> bool:
        """Whether the prompt is still the one that the link was made for."""
        return row.generation == self.generation and row.prompt.digest.startswith(self.digest)


class Links:
    """Makes links and reads them.

    Args:
        secret: bytes that only this data directory has.
        config: the settings.
        now: the wall clock, Unix seconds.

    Attributes:
        deciders: the principal in whose place each webhook decides that may have links, by the webhook's name.
    """

    def __init__(self, secret: bytes, config: Config, now: Callable[[], float]) -> None:
        self._secret = hmac.digest(secret, b"answer link", "sha256")
        self._config = config
        self._now = now
        known = principals(config)
        self.deciders = {hook.name: known[hook.principal] for hook in config.webhook if hook.answer_link}

    def make(self, webhook: str, row: ApprovalRecord) -> tuple[str, int] | None:
        """The address at which a prompt can be answered, and until when; `None` if this webhook gets none for it.

        A question has none: it is answered in words, by somebody who has signed in.

        Args:
            webhook: the name of the webhook that is to carry it.
            row: the prompt.
        """
        decider = self.deciders.get(webhook)
        if decider is None or row.status is not ApprovalStatus.OPEN or row.prompt.kind == CLARIFY:
            return None
        if self._config.approver_not_requester and decider.name == row.principal:
            return None
        expires_at = int(self._now() + self._config.answer_link_s)
        if row.prompt.expires_at is not None:
            expires_at = min(expires_at, int(row.prompt.expires_at))
        said = (
            f"{row.prompt.request_id}.{row.generation}.{row.prompt.digest[:_DIGEST]}.{expires_at}.{webhook}"
        )
        return f"{self._config.reached_at}{PATH}{said}.{self._seal(said)}", expires_at

    def read(self, token: str) -> Link | None:
        """What a token says; `None` if it was not made here or its webhook gets no links any more.

        Any text is taken; the time that it takes tells nothing about the seal.
        """
        given = _TOKEN.fullmatch(token)
        if given is None or not hmac.compare_digest(self._seal(given["said"]), given["seal"]):
            return None
        if given["webhook"] not in self.deciders:
            return None
        return Link(
            request_id=given["request"],
            generation=int(given["generation"]),
            digest=given["digest"],
            expires_at=int(given["expires"]),
            webhook=given["webhook"],
        )

    def _seal(self, said: str) -> str:
        seal = hmac.digest(self._secret, said.encode(), "sha256")
        return base64.urlsafe_b64encode(seal).rstrip(b"=").decode()


def principals(config: Config) -> dict[str, Principal]:
    """Every principal of the settings by its name, the server's own among them."""
    named = {entry.name: Principal(entry.name, entry.role) for entry in config.principal}
    return named | {API_PRINCIPAL: Principal(API_PRINCIPAL, Role.OPERATOR)}
