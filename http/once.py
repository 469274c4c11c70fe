"""What is asked under an `Idempotency-Key` and admits nothing: done once, and an exact retry is told what came of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol.errors import Conflict
from placet.actors.protocol.keys import KeyUse
from placet.actors.store import PreconditionFailed
from placet.http.identity import idempotency_key
from placet.http.requests.declared import Form

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from werkzeug.datastructures import Headers

    from placet.actors.session import Sessions
    from placet.http.auth import Principal
    from placet.http.requests.declared import Body


def use_of(
    principal: Principal, headers: Headers, family: str, *, target: str, asked: Body | str, subject: str
) -> KeyUse | None:
    """The use that a request makes of its key; `None` if it sent none.

    Args:
        principal: who asks.
        headers: of the request.
        family: for what kind of request.
        target: what the request is about.
        asked: its body, or what that says.
        subject: the id of what will come of it.

    Raises:
        InvalidInput: `invalid_idempotency_key`.
    """
    key = idempotency_key(headers)
    if key is None:
        return None
    meaning = {"v": 1, "kind": family, "target": target, "body": msgspec.to_builtins(asked, enc_hook=_plain)}
    return KeyUse(
        principal=principal.name,
        family=family,
        key=key,
        fingerprint=hashlib.sha256(msgspec.json.encode(meaning, order="deterministic")).hexdigest(),
        subject=subject,
    )


async def once(sessions: Sessions, use: KeyUse | None, act: Callable[[], Awaitable[object]]) -> str | None:
    """Do something, unless it was done under this key before.

    Args:
        sessions: where it is done.
        use: the key; `None` to do it in any case.
        act: does it, and takes the key in the same write.

    Returns:
        What came of it before; `None` if it was done now.

    Raises:
        Conflict: `idempotency_key_conflict`: another request used the key.
        PlacetError: what `act` raises.

    Cancelled, it may be done all the same: the client's exact retry finds it.
    """
    earlier = await _earlier(sessions, use)
    if earlier is not None:
        return earlier
    try:
        await act()
    except PreconditionFailed as error:
        if error.code != "idempotency_key_taken":
            raise
        return await _earlier(sessions, use)  # an exact retry at the same moment was quicker
    return None


async def _earlier(sessions: Sessions, use: KeyUse | None) -> str | None:
    if use is None:
        return None
    services = sessions.services
    found = await services.store.key_use(use.principal, use.family, use.key, now=services.now())
    if found is None:
        return None
    if found.fingerprint != use.fingerprint:
        raise Conflict(
            "This Idempotency-Key was used for another request. Use a new key for a new one.",
            code="idempotency_key_conflict",
        )
    return found.subject


def _plain(value: object) -> object:
    if not isinstance(value, Form):
        raise TypeError(f"{type(value).__name__} has no meaning that a key could cover")
    return value.value
