"""What an operator says of a webhook, and where its secrets come from."""

from __future__ import annotations

import base64
import binascii
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from placet.actors.protocol.limits import SecondsOrNever

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET_PREFIX: Final = "whsec_"
SECRET_BYTES_MIN: Final = 24
SECRET_BYTES_MAX: Final = 64
"""What the Standard Webhooks specification allows a secret to have."""

DELAY_S: Final = 10.0
"""Whoever sits at a screen has answered by then, and nobody's telephone rings."""


class HookEvent(StrEnum):
    """What a webhook can be told of."""

    OPENED = "prompt.opened"
    EXPIRING = "prompt.expiring"
    DECIDED = "prompt.decided"
    ENDED = "run.ended"


_HeaderName = Annotated[str, msgspec.Meta(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")]
_HeaderValue = Annotated[str, msgspec.Meta(pattern=r"^[\x20-\x7e]*$")]


class WebhookConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[webhook]]` of the file.

    Attributes:
        name: by which logs, health and the audit know it. Its place in the log is kept under it.
        url: where it is sent. It may hold a secret of its own, so nothing shows it.
        events: what it is told of.
        format: `json` is signed JSON for programs; `slack` and `ntfy` are texts for people, in the form that these take.
        delay_s: how long a prompt must have waited before it is told of, in seconds.
        headers: sent with every request; they win over those of a format.
        secret: what it is signed with: `whsec_` and base64, several while they are changed.
        secret_file: a file that holds them instead, one a line.
        secret_env: a variable that holds them instead, with blanks between them.
        principal: what this principal may see is what it is told of.
        answer_link: whether messages carry a link by which whoever has it decides, in this webhook's name.
    """

    name: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
    url: Annotated[str, msgspec.Meta(pattern=r"^https?://[!-.0-~]+(/[!-~]*)?$")]
    events: tuple[HookEvent, ...] = tuple(HookEvent)
    format: Literal["json", "slack", "ntfy"] = "json"
    delay_s: SecondsOrNever = DELAY_S
    headers: dict[_HeaderName, _HeaderValue] = {}
    secret: str | tuple[str, ...] = ()
    secret_file: str | None = None
    secret_env: str | None = None
    principal: str = "api"
    answer_link: bool = False

    def __repr__(self) -> str:
        """Without what may be secret: the address, the headers, the secrets."""
        events = [event.value for event in self.events]
        return f"WebhookConfig(name={self.name!r}, format={self.format!r}, events={events})"

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The bytes of its secrets; none before `with_secrets`."""
        return tuple(map(_decoded, self.secret))

    def with_secrets(self, environ: Mapping[str, str]) -> WebhookConfig:
        """The same with its secrets read from where they are.

        Args:
            environ: the process's environment.

        Raises:
            ValueError: there are none where there must be, or they cannot be read. The text holds no secret.
        """
        secrets = self._secrets(environ)
        if not secrets and (self.format == "json" or self.secret_file or self.secret_env):
            raise ValueError(f"The webhook `{self.name}` has no secret; {_HOW}")
        for secret in secrets:
            if not SECRET_BYTES_MIN <= len(_decoded(secret)) <= SECRET_BYTES_MAX:
                raise ValueError(f"The webhook `{self.name}` has a secret that is none; {_HOW}")
        return msgspec.structs.replace(self, secret=secrets)

    def _secrets(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        if sum(map(bool, (self.secret, self.secret_file, self.secret_env))) > 1:
            raise ValueError(f"The webhook `{self.name}` has its secret from more than one place")
        if self.secret_env:
            return tuple(environ.get(self.secret_env, "").split())
        if self.secret_file:
            try:
                return tuple(Path(self.secret_file).expanduser().read_text("ascii").split())
            except (OSError, UnicodeDecodeError):
                raise ValueError(
                    f"The file with the secret of the webhook `{self.name}` cannot be read"
                ) from None
        return (self.secret,) if isinstance(self.secret, str) else self.secret


_HOW: Final = "make one with: echo whsec_$(openssl rand -base64 32)"


def _decoded(secret: str) -> bytes:
    """The bytes of a secret; none if it is no base64."""
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return b""
