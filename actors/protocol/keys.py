"""What an `Idempotency-Key` was used for, where that is no admission."""

from __future__ import annotations

import msgspec


class KeyUse(msgspec.Struct, frozen=True, kw_only=True):
    """A key, and the one thing that was done under it.

    Attributes:
        principal: whose key it is.
        family: for what kind of request, such as `steer`. Keys of different families never meet.
        key: the key.
        fingerprint: what two requests share if and only if they mean the same.
        subject: the id of what came of it, from which an exact retry is answered.
    """

    principal: str
    family: str
    key: str
    fingerprint: str
    subject: str
