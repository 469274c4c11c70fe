"""Ends a process whose shutdown hangs, after saying where it hangs."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.runtime import task_tree

if TYPE_CHECKING:
    from types import TracebackType

EXIT_STATUS: Final = 70
"""EX_SOFTWARE of sysexits.h: a supervisor sees that the shutdown was not clean."""


class Watchdog:
    """A thread that ends the process if the block that it watches is not left in time.

    A thread, because a loop that hangs cannot watch itself. What was recorded stays recorded; the next start takes it up.

    Args:
        seconds: how long the block may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._token = trio.lowlevel.current_trio_token()
        self._root = trio.lowlevel.current_root_task()
        self._left = threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._watch, name="placet-watchdog", daemon=True).start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._left.set()

    def _watch(self) -> None:
        if self._left.wait(self._seconds):
            return
        sys.stderr.write(f"placet: the shutdown hangs after {self._seconds:g} s; its tasks are:\n")
        sys.stderr.write(task_tree(self._root) + "\n")
        sys.stderr.flush()
        os._exit(EXIT_STATUS)
