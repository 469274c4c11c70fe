"""How often Python looks for garbage that reference counts do not find."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (5_000, 20, 20)
"""Objects made and still there before the young are looked through, and passes over each generation before the next.

Python's own 700, 10, 10 cost a turn a fifteenth of its time, and held up all streams for a tenth of a second now and then. A turn
leaves next to no cycles: what it made is gone with its last reference. With more than 5 000 one pass is a stall."""


def look_less() -> None:
    """Set aside all that the start has made, which stays, and look at the rest less often. Blocks for about a tenth of a second.

    Else each full pass would go through every module of the process again, with all streams waiting.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
