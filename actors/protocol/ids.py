"""Names of things: how they are made and which shapes are taken from a client."""

from __future__ import annotations

import hashlib
import re
import secrets
from enum import Enum

from placet.actors.protocol.errors import InvalidInput

SESSION_ID_MAX = 256
"""Characters. What the header contract allows; also keeps an id within one file name on every file system."""

EPHEMERAL = "api-"
"""How the ids of sessions begin that no request named."""

_UNSAFE_IN_PATH = re.compile(r"[\x00-\x1f\x7f/\\]|\.\.|^[A-Za-z]:")


class Surface(Enum):
    """By which door a run came in."""

    CHAT = "chat"
    SESSION = "session"
    RUNS = "runs"
    RESPONSES = "responses"


_RUN_ID = {
    Surface.CHAT: ("chatcmpl-", 29),
    Surface.SESSION: ("run_", 32),
    Surface.RUNS: ("run_", 32),
    Surface.RESPONSES: ("resp_", 28),
}


def new_run_id(surface: Surface) -> str:
    """A public run id that was never given out: `chatcmpl-` and 29 hex digits, `run_` and 32, `resp_` and 28."""
    prefix, digits = _RUN_ID[surface]
    return prefix + secrets.token_hex(16)[:digits]


def new_id() -> str:
    """An id for an admission, a prompt, a rule or a call: 32 random hex digits."""
    return secrets.token_hex(16)


def ephemeral_session_id(principal: str = "", family: str = "", key: str | None = None) -> str:
    """The session of a request that names none: `api-` and 16 hex digits.

    Args:
        principal: who asks.
        family: the route family, such as `chat`.
        key: the request's `Idempotency-Key`. With it the id is derived, so that an exact retry finds its session; without it
            the id is random, so that no two requests ever share a queue or a grant.
    """
    if key is None:
        return EPHEMERAL + secrets.token_hex(8)
    return EPHEMERAL + hashlib.sha256("\0".join((principal, family, key)).encode()).hexdigest()[:16]


def check_session_id(session_id: str, *, param: str) -> str:
    """The id as given, if it is safe as a path segment and at most 256 characters.

    Raises:
        InvalidInput: `invalid_session_id`; `param` says where the id stood.
    """
    if not session_id or len(session_id) > SESSION_ID_MAX or session_id.startswith("_"):
        raise InvalidInput(
            f"A session id has 1 to {SESSION_ID_MAX} characters and does not begin with an underscore.",
            code="invalid_session_id",
            param=param,
        )
    if _UNSAFE_IN_PATH.search(session_id) or not session_id.isprintable() or session_id != session_id.strip():
        raise InvalidInput(
            "A session id holds no control character, slash, backslash, drive letter or '..', and no space at its ends.",
            code="invalid_session_id",
            param=param,
        )
    return session_id
