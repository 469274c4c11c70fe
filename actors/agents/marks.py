"""What an agent's author says of it by a decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_REPLAYABLE = "placet_replayable"


def replayable(function: F) -> F:
    """Mark an agent that may be run again after a crash: all that it does to the world, it does in `turn.tool` and `turn.step`.

    The second run is answered from the journal as far as the first one came. So it must take the same way again: what differs from
    one run to the next (the time, a random number, a file's content) belongs in a step.
    """
    setattr(function, _REPLAYABLE, True)
    return function


def is_replayable(agent: Any) -> bool:
    """Whether `agent`, or the `__call__` of its class, is marked."""
    return bool(getattr(agent, _REPLAYABLE, False) or getattr(type(agent).__call__, _REPLAYABLE, False))
