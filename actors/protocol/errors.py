"""What can go wrong, as one tree.

Every error has a stable `code` (a client may branch on it) and a `message` (a person reads it). Which HTTP status a class gets
is said in one place only, `placet/http/errors.py`.
"""

from __future__ import annotations

from typing import ClassVar


class PlacetError(Exception):
    """Something that Placet refuses or cannot do.

    Args:
        message: what happened and what to do next, for a person. It holds no secret and no path of the machine.
        code: the stable word for it; the class's own `default_code` if not given.
        param: the field of the request that it is about, such as `messages[0].role`.
        detail: further fields for the error's JSON object, such as the decision that won.
        retry_after_s: seconds after which the same request may work.
    """

    default_code: ClassVar[str] = "internal_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        detail: dict[str, object] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.param = param
        self.detail = detail or {}
        self.retry_after_s = retry_after_s


class InvalidInput(PlacetError):
    """The request is malformed; the same bytes will never work."""

    default_code = "invalid_params"


class NotAuthenticated(PlacetError):
    """No key, or not a known one."""

    default_code = "gateway_auth_failed"


class NotAllowed(PlacetError):
    """The principal may see this but not do that."""

    default_code = "role_required"


class NotFound(PlacetError):
    """There is no such thing, or the principal may not know of it."""

    default_code = "not_found"


class Conflict(PlacetError):
    """The request is well-formed but the state of things forbids it."""

    default_code = "conflict"


class TooLarge(PlacetError):
    """A size limit is exceeded."""

    default_code = "body_too_large"


class TooMany(PlacetError):
    """A count limit is reached; later the same request may work."""

    default_code = "rate_limit_exceeded"


class Unavailable(PlacetError):
    """Placet cannot do this now; nothing was changed unless the message says so."""

    default_code = "unavailable"


class Draining(Unavailable):
    """The server is shutting down and takes no new work."""

    default_code = "gateway_draining"


class StoreUnavailable(Unavailable):
    """The disk refused: nothing of this request is recorded, so nothing of it is done."""

    default_code = "storage_unavailable"


class ActorStopped(Unavailable):
    """The actor ended before it answered. What it had stored stays stored."""

    default_code = "session_unavailable"


class MailboxFull(Unavailable):
    """The actor's inbox holds as much as it may."""

    default_code = "session_unavailable"


class AskTimedOut(Unavailable):
    """The actor did not answer in time. A message that it had not begun is skipped; one that it had begun is finished."""

    default_code = "session_unavailable"


class StartRefused(PlacetError):
    """The server must not start on this data directory or with these settings. Nothing was touched."""

    default_code = "start_refused"
