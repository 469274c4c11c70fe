"""What the headers of a request say about it: its session, its key for retries, the dialect that its client understands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from placet.actors.protocol.errors import InvalidInput, NotAllowed
from placet.actors.protocol.ids import check_session_id
from placet.http.dialect import Dialect
from placet.http.requests.parameters import DIALECT, IDEMPOTENCY_KEY, SESSION_KEY, read_header
from placet.http.requests.parameters import SESSION_HEADERS as _SESSION_HEADERS

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

    from placet.http.auth import Principal
    from placet.http.chat_request import ChatRequest

__all__ = [
    "SESSION_HEADERS",
    "SESSION_KEY_HEADER",
    "Dialect",
    "dialect_of",
    "idempotency_key",
    "session_key_of",
    "session_of",
]

SESSION_HEADERS: Final = tuple(header.name for header in _SESSION_HEADERS)
"""A header and its alias; answers carry both."""

SESSION_KEY_HEADER: Final = SESSION_KEY.name

_SESSION_KEY = re.compile(r"[^\x00-\x1f\x7f]{0,256}")

_SDK_HEADER_PREFIX = "x-stainless-"
_SDK_PRODUCTS = (
    "openai/",
    "asyncopenai/",
    "azureopenai/",
    "asyncazureopenai/",
    "openaiclientimpl/",
    "openai::client/",
    "async-openai/",
    "ai-sdk/",
    "litellm/",
)
"""How the products begin that SDKs call themselves in `User-Agent`, in lower case; each parses every `data:` line as a chunk."""


def session_of(headers: Headers, *, no_auth: bool) -> str | None:
    """The session that a request names, `None` if it names none.

    Args:
        headers: of the request.
        no_auth: whether the server runs without keys. Then nothing tells clients apart, and none may reach for a session by name.

    Raises:
        NotAllowed: `session_header_forbidden`; a session is named and `no_auth` holds.
        InvalidInput: `invalid_session_id`: not an id, or two that differ.
    """
    named = [(name, value) for name in SESSION_HEADERS for value in headers.getlist(name)]
    if not named:
        return None
    name, value = named[0]
    _refuse_without_keys(name, no_auth=no_auth)
    if any(other != value for _, other in named):
        raise InvalidInput("The request names two sessions.", code="invalid_session_id", param=name)
    return check_session_id(_text(value, name), param=name)


def session_key_of(headers: Headers, *, no_auth: bool) -> str | None:
    """The session key that the answer must echo, `None` if there is none. It means nothing to Placet.

    Args:
        headers: of the request.
        no_auth: as in `session_of`.

    Raises:
        NotAllowed: `session_header_forbidden`; there is one and `no_auth` holds.
        InvalidInput: `invalid_session_key`: more than 256 characters, or a control character, or two that differ.
    """
    values = set(headers.getlist(SESSION_KEY_HEADER))
    if not values:
        return None
    _refuse_without_keys(SESSION_KEY_HEADER, no_auth=no_auth)
    key = _text(values.pop(), SESSION_KEY_HEADER)
    if values or not _SESSION_KEY.fullmatch(key):
        raise InvalidInput(
            "A session key has at most 256 characters, none of them a control character.",
            code="invalid_session_key",
            param=SESSION_KEY_HEADER,
        )
    return key


def idempotency_key(headers: Headers) -> str | None:
    """The key under which exact retries of a request are one request, `None` if there is none.

    The value is taken as it stands: quotes are part of the key, so `"abc"` and `abc` are two keys.

    Args:
        headers: of the request.

    Raises:
        InvalidInput: `invalid_idempotency_key`: not 1 to 255 visible ASCII characters, or more than one header line.
    """
    key: str | None = read_header(headers, IDEMPOTENCY_KEY)
    return key


def dialect_of(chat: ChatRequest | None, headers: Headers, principal: Principal) -> Dialect:
    """The dialect of a chat stream: what the body says, else the header, else the principal's setting, else a guess.

    Args:
        chat: the request; `None` for one without a body.
        headers: its headers.
        principal: who asks.

    Raises:
        InvalidInput: `invalid_params`; `X-Placet-Approvals` holds an unknown word.
    """
    header: Dialect | None = read_header(headers, DIALECT)
    asked = None if chat is None else chat.approvals
    return asked or header or principal.approvals or _guess(headers)


def _guess(headers: Headers) -> Dialect:
    if any(name.lower().startswith(_SDK_HEADER_PREFIX) for name in headers.keys()):  # noqa: SIM118
        return Dialect.CHUNK
    products = headers.get("User-Agent", "").lower().split()
    return Dialect.CHUNK if any(product.startswith(_SDK_PRODUCTS) for product in products) else Dialect.EVENT


def _refuse_without_keys(name: str, *, no_auth: bool) -> None:
    if no_auth:
        raise NotAllowed(
            f"A server without keys takes no {name}: nothing would keep one client out of another's session.",
            code="session_header_forbidden",
            param=name,
        )


def _text(value: str, name: str) -> str:
    """A header's value as text. The framework gives its bytes as Latin-1; clients and our own answers write UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        raise InvalidInput(f"{name} is not UTF-8.", code="invalid_params", param=name) from None
