"""A line that is being typed while other things happen, so key by key and without the terminal's help."""

from __future__ import annotations

from enum import Enum
from typing import Final

LONGEST: Final = 4000
"""Characters of one line: what the server takes as a reason."""

ESCAPE: Final = "\x1b"
END_OF_INPUT: Final = "\x04"
_ERASE = "\x7f\x08"
_ENTER = "\r\n"


class Typed(Enum):
    """What became of a line with one more key."""

    GOES_ON = "goes on"
    ENTERED = "entered"
    LEFT = "left"


class Entry:
    """One line. Backspace, Ctrl-U and Ctrl-W take away; Enter ends it; Escape and Ctrl-D leave it."""

    def __init__(self) -> None:
        self.text = ""

    def press(self, keys: str) -> Typed:
        """Take in keys, up to the one that ends the line; what was pasted after that is dropped."""
        for key in keys:
            if key in _ENTER:
                return Typed.ENTERED
            if key in (ESCAPE, END_OF_INPUT):
                return Typed.LEFT
            self._edit(key)
        return Typed.GOES_ON

    def _edit(self, key: str) -> None:
        if key in _ERASE:
            self.text = self.text[:-1]
        elif key == "\x15":
            self.text = ""
        elif key == "\x17":
            kept = self.text.rstrip()
            self.text = kept[: kept.rfind(" ") + 1]
        elif key.isprintable():
            self.text = (self.text + key)[:LONGEST]
