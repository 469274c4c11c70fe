"""What the answer of a receiver means, and how long to wait before the next attempt. Pure."""

from __future__ import annotations

from enum import Enum
from typing import Final

BACKOFF_FIRST_S: Final = 1.0
BACKOFF_MOST_S: Final = 600.0
"""A receiver that was down for hours hears of everything within ten minutes of its return."""

RETRY_AFTER_MOST_S: Final = 3600.0
"""The longest `Retry-After` that is honoured whole: a prompt seldom waits longer."""

GIVE_UP_AFTER_S: Final = 24 * 3600.0
"""How old something may be when it is tried once more. What is older is in the audit, and news no more."""

_MAY_HEAL: Final = frozenset({408, 409, 425, 429})


class Outcome(Enum):
    """What came of an attempt."""

    TAKEN = "taken"
    AGAIN = "again"
    REFUSED = "refused"


def outcome_of(status: int | None) -> Outcome:
    """What a status means; `None` stands for no answer. A redirect is a refusal: who signs a message says where it goes."""
    if status is not None and 200 <= status < 300:
        return Outcome.TAKEN
    if status is None or status in _MAY_HEAL or status >= 500:
        return Outcome.AGAIN
    return Outcome.REFUSED


def pause_s(attempt: int, chance: float, asked_s: float | None) -> float:
    """Seconds to wait after an attempt that failed.

    Args:
        attempt: how many were made, at least 1.
        chance: a random number from 0 to 1, so that many that failed together do not come back together.
        asked_s: what the receiver asked for, if it did.
    """
    longest = min(BACKOFF_FIRST_S * 2.0 ** min(attempt - 1, 30), BACKOFF_MOST_S)
    own = longest * (1 + chance) / 2
    return own if asked_s is None else max(own, min(asked_s, RETRY_AFTER_MOST_S))
