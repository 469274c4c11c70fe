"""Where benchmarks put things, and on which cores they run."""

from __future__ import annotations

import os
import socket
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# One each where there are two, so that neither takes the other's time. Read before anything is pinned.
_USABLE = sorted(os.sched_getaffinity(0))
SERVER_CORE = {_USABLE[0]} if len(_USABLE) > 1 else set(_USABLE)
DRIVER_CORE = {_USABLE[-1]} if len(_USABLE) > 1 else set(_USABLE)


def cache() -> Path:
    """A directory of the user's that outlives a run, on a real disk: `/tmp` often is memory, where a commit costs nothing."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    place = (base if base.is_absolute() else Path.home() / ".cache") / "placet" / "benchmarks"
    place.mkdir(parents=True, exist_ok=True)
    return place


@contextmanager
def workplace() -> Iterator[Path]:
    """An empty directory on the same disk, removed at the end of the block."""
    with tempfile.TemporaryDirectory(dir=cache(), prefix="run-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def every_core() -> Iterator[None]:
    """Run on all cores while the block runs: for what is measured inside this process, whose threads need them."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, _USABLE)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
