"""Text for a terminal: nothing in it acts on the terminal, and it fits where it is put."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters but line end and tab, what changes the direction of text, what is invisible, and halves of characters."""

_TAB = "    "


class Tone(Enum):
    """What a text is, which decides its colour."""

    PLAIN = "plain"
    DIM = "dim"
    ASK = "ask"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    STRONG = "strong"


class Said(msgspec.Struct, frozen=True):
    """Something to show, already escaped.

    Attributes:
        text: whole lines without the last line end; or, if it flows, a piece of a text of which more may follow.
        tone: what it is.
        flows: whether the next piece of the same kind joins it without a line end.
        indent: what stands before each of its lines.
    """

    text: str
    tone: Tone = Tone.PLAIN
    flows: bool = False
    indent: str = ""


def escaped(text: str) -> str:
    """`text` with everything escaped that would act on a terminal instead of being seen. Line ends and tabs stay."""
    return _ACTS.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str, width: int) -> str:
    """`text` escaped, on one line of at most `width` cells; what does not fit is left out and marked by `…`."""
    return cut(escaped(" ".join(text.split())), width)


def cut(line: str, width: int) -> str:
    """A line of escaped text, of which what does not fit is left out and marked by `…`."""
    return line if cells(line) <= width else f"{_head(line, max(0, width - 1))}…"


def wrapped(text: str, width: int) -> list[str]:
    """`text` escaped, in lines of at most `width` cells, so that the terminal wraps none by itself. Nothing is left out."""
    return [part for line in escaped(text).expandtabs(4).split("\n") for part in _parts(line, max(2, width))]


def words_wrapped(text: str, width: int) -> list[str]:
    """`text` escaped, broken between words where that is possible; for prose, whose blanks do not count."""
    lines = [""]
    for word in escaped(text).split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= width:
            lines[-1] = joined
        else:
            lines += [part for part in _parts(word, max(2, width)) if part]
    return [line for line in lines if line] or [""]


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _parts(line: str, width: int) -> Iterator[str]:
    while cells(line) > width:
        head = _head(line, width)
        yield head
        line = line[len(head) :]
    yield line


def _head(line: str, width: int) -> str:
    taken = 0
    for index, char in enumerate(line):
        taken += _cells_of(char)
        if taken > width:
            return line[:index]
    return line


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
