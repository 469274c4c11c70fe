"""Moments at which the process can be made to die: a test aid, so that a crash is tested exactly where it hurts.

`PLACET_CRASH_AT=tool_started` in the environment kills the process with SIGKILL when it first comes to that point, with
`tool_started:3` when it comes to it the third time. Without the variable `reach` does nothing at all. Which of the two it is gets
decided once, when this module is imported.
"""

from __future__ import annotations

import enum
import os
import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE: Final = "PLACET_CRASH_AT"


class Point(enum.Enum):
    """The moments of a turn after which a crash means something else than before, in the order of a turn.

    What is stored is on disk, and nobody has been told of it yet.
    """

    ADMITTED = "admitted"
    """The input is stored."""
    CLAIMED = "claimed"
    """That its turn begins is stored; the agent has not run."""
    MODEL_CALL_BEGUN = "model_call_begun"
    """The model has begun its answer; nothing of it is known yet."""
    TOOL_CALL_RECEIVED = "tool_call_received"
    """The model has called a tool; its message is not stored."""
    PROMPT_STORED = "prompt_stored"
    """That a person is asked is stored."""
    PROMPT_SHOWN = "prompt_shown"
    """A stream has sent the prompt to its client."""
    DECISION_STORED = "decision_stored"
    """How the prompt ended is stored; neither who decided nor the turn has been told."""
    TOOL_STARTED = "tool_started"
    """That a tool starts is stored; it has done nothing."""
    TOOL_HALF_DONE = "tool_half_done"
    """The tool has printed something and not ended."""
    TOOL_ENDED = "tool_ended"
    """The tool has ended; its result is not stored."""
    RESULT_STORED = "result_stored"
    """The tool's result is stored; the agent has not been given it."""
    SETTLED = "settled"
    """How the turn ended is stored."""


def pass_by(_point: Point) -> None:
    """Reach a point of a process that is not to be killed."""


def armed(asked: str | None) -> Callable[[Point], None]:
    """What `reach` is.

    Args:
        asked: the variable's value, `point` or `point:n`.

    Raises:
        ValueError: there is no such point, or `n` is no number from 1 up. A test must not pass because nothing was killed.
    """
    if not asked:
        return pass_by
    name, colon, number = asked.partition(":")
    fatal, left = Point(name), int(number) if colon else 1
    if left < 1:
        raise ValueError(f"{VARIABLE}: {asked!r} counts from 1.")

    def reach_armed(point: Point) -> None:
        nonlocal left
        if point is fatal:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return reach_armed


reach: Final[Callable[[Point], None]] = armed(os.environ.get(VARIABLE))
"""Come to a point: die there if this process was told to. Synchronous; called on trio's thread only."""
