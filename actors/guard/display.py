"""What a person sees of a command: secrets masked, nothing invisible, nothing out of sight."""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

from placet.actors.guard.secrets import masked

PADDING = 32  # blanks in a row; text behind more than that may lie outside a window
LINES = 12  # empty lines in a row, likewise
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ZERO_WIDTH = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u2800\u3164\ufeff\uffa0"
)
_RUN_OF_BLANKS = re.compile(rf" {{{PADDING},}}|\t{{{PADDING // 4},}}|\n{{{LINES},}}")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"})


class Shown(Struct, frozen=True):
    """A text prepared for a person's eyes.

    Args:
        masked: the text with secrets masked and otherwise unchanged.
        display: the same, with what is invisible or misleading escaped.
        warnings: what was escaped, a sentence each.
    """

    masked: str
    display: str
    warnings: tuple[str, ...]


def shown(text: str) -> Shown:
    """Prepare a text for a person's eyes.

    Args:
        text: a command, or anything else that a person is asked about.
    """
    clean = masked(text)
    padded = _RUN_OF_BLANKS.search(clean) is not None
    warnings = dict.fromkeys(_warnings(clean))
    if padded:
        warnings["long runs of blanks push text out of sight; they are shown as their number"] = None
    display = _RUN_OF_BLANKS.sub(_run, clean) if padded else clean
    if not display.isascii() or not display.isprintable():
        display = "".join(_shown_character(char, display, index) for index, char in enumerate(display))
    return Shown(clean, display, tuple(warnings))


def _run(match: re.Match[str]) -> str:
    name = {" ": "spaces", "\t": "tabs", "\n": "line ends"}[match.group()[0]]
    return f" ⟨{len(match.group())} {name}⟩ "


def _warnings(text: str) -> list[str]:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return []
    warnings = [warning for index, char in enumerate(text) if (warning := _warning(char, text, index))]
    return [*warnings, *_mixed(text)]


def _warning(char: str, text: str, index: int) -> str | None:
    if " " < char < "\x7f" or char in " \n\t":
        return None
    kind = _kind(char, text, index)
    return f"{kind} {_name(char)}" if kind else None


def _kind(char: str, text: str, index: int) -> str | None:
    """What is wrong with showing a character as it is."""
    category = unicodedata.category(char)
    if char in _BIDI:
        return "bidirectional control character"
    if char == "\u200d" and index and unicodedata.category(text[index - 1]) in {"So", "Sk", "Mn"}:
        return None  # it joins the parts of one emoji
    if char in _ZERO_WIDTH or 0xE0000 <= ord(char) <= 0xE0FFF:
        return "zero-width character"
    if category == "Cc":
        return "control character"
    if category in {"Cf", "Zl", "Zp", "Co", "Cs", "Cn"}:
        return "invisible character"
    if category == "Zs":
        return "blank that is no space"
    if 0xFF01 <= ord(char) <= 0xFF5E or 0x1D400 <= ord(char) <= 0x1D7FF:
        return "look-alike of an ASCII character"
    return None


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'without a name')}".rstrip()


def _mixed(text: str) -> list[str]:
    """Words that mix scripts whose letters look alike."""
    warnings: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if not word.isascii():
            scripts = {unicodedata.name(char, "?").split()[0] for char in word} & _SCRIPTS
            if len(scripts) > 1:
                warnings.append(f"letters of several scripts in one word: {word[:40]!a}")
    return warnings


def _shown_character(char: str, text: str, index: int) -> str:
    if char == "\n" or char == "\t" or " " <= char < "\x7f" or _kind(char, text, index) is None:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
