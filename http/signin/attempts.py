"""How often somebody may try a wrong key, or a wrong link."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final

from placet.actors.protocol.errors import TooMany

if TYPE_CHECKING:
    from collections.abc import Callable

WRONG_KEYS_MAX: Final = 5
"""Wrong keys from one address within `WRONG_KEYS_S`: a person mistypes twice; who needs more is no person."""

WRONG_KEYS_S: Final = 60.0

ADDRESSES_MAX: Final = 1024
"""Addresses remembered. Past it the one that was wrong longest ago is forgotten."""


class Attempts:
    """The wrong keys of the last minute, by address. A restart forgets them.

    Args:
        now: seconds, of a clock that only goes forward.
        what: is tried, in the plural.
    """

    def __init__(self, now: Callable[[], float], what: str = "keys") -> None:
        self._now = now
        self._what = what
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Refuse to look at a key, right or wrong, while the address has been wrong too often.

        Args:
            address: from where the key comes.

        Raises:
            TooMany: `sign_in_slowed`, with the seconds after which a key is looked at again.
        """
        wrong, now = self._wrong.get(address, deque()), self._now()
        while wrong and wrong[0] <= now - WRONG_KEYS_S:
            wrong.popleft()
        if len(wrong) >= WRONG_KEYS_MAX:
            raise TooMany(
                f"Too many wrong {self._what} came from this address. Wait a moment, then try again.",
                code="sign_in_slowed",
                retry_after_s=wrong[0] + WRONG_KEYS_S - now,
            )

    def count_wrong(self, address: str) -> None:
        """Remember that a wrong key came from there."""
        self._wrong.setdefault(address, deque()).append(self._now())
        self._wrong.move_to_end(address)
        if len(self._wrong) > ADDRESSES_MAX:
            self._wrong.popitem(last=False)
