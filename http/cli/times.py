"""Moments and spans in a person's words."""

from __future__ import annotations


def span(seconds: float) -> str:
    """A span such as `4 s`, `12 min`, `3 h` or `2 d`: the largest unit that says something."""
    seconds = max(0.0, seconds)
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.0f} d"


def ago(then: float, now: float) -> str:
    """How long ago a moment was, both in Unix seconds."""
    return f"{span(now - then)} ago"


def countdown(expires_at: float | None, now: float) -> str:
    """What is left of a prompt's time, to the second; both in Unix seconds."""
    if expires_at is None:
        return "waits without end"
    left = max(0, int(expires_at - now))
    hours, rest = divmod(left, 3600)
    clock = f"{rest // 60:02}:{rest % 60:02}"
    return f"{hours}:{clock} left" if hours else f"{clock} left"


def left(expires_at: float | None, now: float) -> str:
    """What is left of a prompt's time, for a list; both in Unix seconds."""
    return "open" if expires_at is None else f"{span(expires_at - now)} left"
