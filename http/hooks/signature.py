"""Signatures as the Standard Webhooks specification has them, so that any verifier of those can check ours."""

from __future__ import annotations

import base64
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def signed(keys: Sequence[bytes], message_id: str, at: int, body: bytes) -> dict[str, str]:
    """The headers that say which message this is, when it was sent, and that we sent it.

    Args:
        keys: one signature is made with each; a receiver that knows any of them is content. With none, nothing is signed.
        message_id: the same each time that a message is sent.
        at: when it is sent this time, Unix seconds. Receivers refuse what is older than some minutes.
        body: its bytes as they are sent.
    """
    content = f"{message_id}.{at}.".encode() + body
    signatures = [base64.b64encode(hmac.digest(key, content, "sha256")).decode() for key in keys]
    headers = {"webhook-id": message_id, "webhook-timestamp": str(at)}
    return headers | (
        {"webhook-signature": " ".join(f"v1,{each}" for each in signatures)} if signatures else {}
    )
