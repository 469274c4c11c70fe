"""The lines that a person types between two answers, with a history; or those of a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

HISTORY_MOST: Final = 1000

_PROMPT: Final = "› "


class Lines:
    """Reads lines from standard input. On a terminal they can be edited, and earlier ones come back.

    Args:
        environ: `XDG_STATE_HOME` says where the history lies, `NO_COLOR` that the mark has no colour.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._typed = sys.stdin.isatty()
        self._mark = _PROMPT if environ.get("NO_COLOR") else f"\001\x1b[36m\002{_PROMPT}\001\x1b[0m\002"
        self._history = _history_file(environ) if self._typed and sys.stdout.isatty() else None
        if self._history is not None:
            _load(self._history)

    def next(self) -> str | None:
        """The next line that says something; `None` at the end of the input, and when Ctrl-C is pressed twice."""
        interrupted = False
        while True:
            try:
                line = input(self._mark) if self._typed else input()
            except EOFError:
                self._end_line()
                return None
            except KeyboardInterrupt:
                self._end_line()
                if interrupted or not self._typed:
                    return None
                print("Ctrl-C once more, or Ctrl-D, leaves.")
                interrupted = True
                continue
            if line.strip():
                self._keep()
                return line

    def _end_line(self) -> None:
        if self._typed:
            print()

    def _keep(self) -> None:
        if self._history is not None:
            import readline

            try:
                readline.write_history_file(self._history)
            except OSError:
                self._history = None  # a history is a comfort; a talk goes on without it


def _history_file(environ: Mapping[str, str]) -> Path:
    state = Path(environ.get("XDG_STATE_HOME", ""))
    base = state if state.is_absolute() else Path(environ.get("HOME") or Path.home()) / ".local" / "state"
    return base / "placet" / "chat_history"


def _load(path: Path) -> None:
    """Read the history; what is typed may be private, so the file is its owner's alone from the start."""
    import readline

    readline.set_history_length(HISTORY_MOST)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        readline.read_history_file(path)
    except OSError:
        return
