"""`Retry-After`: how long somebody else's server asks us to wait."""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime


def retry_after_s(value: str | None, now: float) -> float | None:
    """A `Retry-After` in seconds: it is a number of them, or a date; anything else is as if it were not there (RFC 9110 §10.2.3).

    Args:
        value: of the header, `None` without one.
        now: Unix seconds.

    Returns:
        Seconds, finite and not below 0; `None` if nothing was said.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
