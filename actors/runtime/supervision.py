"""What happens to a key whose actor crashes again and again.

A crashed actor is not restarted; the next message activates a fresh one from what is stored. That alone would let one poisoned
row burn a processor, so crashes are counted by key: `restart_intensity` of them within `restart_window_s` put the key in
quarantine. While it lasts, messages are refused without starting anything. After it the next message is a trial: one more crash
brings a quarantine twice as long; a whole window without a crash clears the record.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from placet.actors.protocol.errors import ActorStopped

if TYPE_CHECKING:
    from placet.actors.runtime.limits import RegistryLimits


@dataclass(slots=True)
class _Record:
    crashed_at: deque[float] = field(default_factory=deque[float])
    quarantine_s: float = 0.0  # length of the last one; 0 if there was none that still counts
    quarantined_until: float = -math.inf


class Supervisor:
    """Counts crashes by key and says which keys are in quarantine. All of it is synchronous.

    Args:
        limits: the restart intensity, its window, and the bounds of a quarantine.
    """

    __slots__ = ("_limits", "_records")

    def __init__(self, limits: RegistryLimits) -> None:
        self._limits = limits
        self._records: dict[str, _Record] = {}

    def admit(self, key: str) -> None:
        """Allow an activation of `key`.

        Raises:
            ActorStopped: the key is in quarantine; `retry_after_s` says for how long.
        """
        left_s = self.quarantine_left_s(key)
        if left_s > 0:
            raise ActorStopped(
                f"it crashed repeatedly and rests for another {left_s:.0f} s", retry_after_s=math.ceil(left_s)
            )

    def quarantine_left_s(self, key: str) -> float:
        """Seconds until `key` is tried again; 0 if it is not in quarantine."""
        record = self._records.get(key)
        return max(0.0, record.quarantined_until - trio.current_time()) if record else 0.0

    def record_crash(self, key: str) -> None:
        """Count a crash of `key`, and put it in quarantine if that was one too many."""
        now = trio.current_time()
        self._forget(key, now)
        record = self._records.setdefault(key, _Record())
        crashes = record.crashed_at
        crashes.append(now)
        while crashes[0] <= now - self._limits.restart_window_s:
            crashes.popleft()
        if record.quarantine_s or len(crashes) >= self._limits.restart_intensity:
            crashes.clear()
            longer_s = 2 * record.quarantine_s or self._limits.quarantine_base_s
            record.quarantine_s = min(longer_s, self._limits.quarantine_max_s)
            record.quarantined_until = now + record.quarantine_s

    def forget_recovered(self) -> None:
        """Drop the records of all keys that have behaved for a whole window."""
        now = trio.current_time()
        for key in list(self._records):
            self._forget(key, now)

    def _forget(self, key: str, now: float) -> None:
        record = self._records.get(key)
        if record is not None:
            last_trouble_at = max(
                record.quarantined_until, record.crashed_at[-1] if record.crashed_at else -math.inf
            )
            if last_trouble_at <= now - self._limits.restart_window_s:
                del self._records[key]
