"""The terminal, or the pipe in its place: writes text in its tones, keeps a last line under it, reads keys."""

from __future__ import annotations

import codecs
import os
import re
import sys
import termios
import tty
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

import trio

from placet.http.cli.flow import Flow
from placet.http.cli.text import Said, Tone

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_COLOURS: Final = {
    Tone.PLAIN: "",
    Tone.DIM: "\x1b[2m",
    Tone.ASK: "\x1b[36m",
    Tone.GOOD: "\x1b[32m",
    Tone.WARN: "\x1b[33m",
    Tone.BAD: "\x1b[31m",
    Tone.STRONG: "\x1b[1m",
}
_RESET: Final = "\x1b[0m"
_CLEAR_LINE: Final = "\r\x1b[K"

_SEQUENCES: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.)")
"""What arrow and function keys send. It means nothing here, and its last letter must not count as a key."""

_WIDTH_PIPED: Final = 79
_WIDTH_UNKNOWN: Final = 80
_READ_BYTES: Final = 4096


class Terminal:
    """Where a person reads and types.

    Args:
        out: is written to.
        keys: the descriptor of the terminal that is read from; `None` if nobody can be asked.
        colours: whether tones may be shown as colours.

    Attributes:
        is_gone: whether nobody reads any more.
    """

    def __init__(self, out: TextIO, *, keys: int | None, colours: bool) -> None:
        self.is_gone = False
        self._out = out
        self._keys = keys
        self._colours = colours
        self._flow = Flow()
        self._footer = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    @property
    def asks(self) -> bool:
        """Whether someone can be asked in place."""
        return self._keys is not None

    @property
    def width(self) -> int:
        """In cells; of a pipe what reads well."""
        return columns(self._out) - 1 if self.asks else _WIDTH_PIPED

    def say(self, said: Said) -> None:
        """Write it, above the last line if there is one."""
        before, text = self._flow.add(said)
        self._write(self._erased() + before + self._painted(text, said.tone))

    def footer(self, line: str | None) -> None:
        """Make this the last line, under all that is said; `None` for no such line. Only where someone can be asked."""
        if (line or "") != self._footer:
            erased = self._erased()
            self._footer = line or ""
            start = self._flow.end_line() if line else ""
            self._write(erased + start + self._painted(self._footer, Tone.ASK))

    def end_line(self) -> None:
        """Make what comes next begin a line."""
        self._write(self._erased() + self._flow.end_line())

    @contextmanager
    def key_by_key(self) -> Generator[None, None, None]:
        """Take keys one by one and unseen while the block runs; Ctrl-C still interrupts. Without a terminal nothing changes."""
        if self._keys is None:
            yield
            self.end_line()
            return
        before = termios.tcgetattr(self._keys)
        self.take_keys()
        try:
            yield
        finally:
            self.end_line()
            termios.tcsetattr(self._keys, termios.TCSADRAIN, before)

    def take_keys(self) -> None:
        """Take keys one by one, also again after the process was in the background."""
        if self._keys is not None:
            tty.setcbreak(self._keys, termios.TCSADRAIN)

    async def typed(self) -> str:
        """What is typed next, all that is there at once; empty for keys that mean nothing. Waits for ever without a terminal.

        Always a checkpoint; cancelled, nothing was read.
        """
        if self._keys is None:
            await trio.sleep_forever()
        await trio.lowlevel.wait_readable(self._keys)
        try:
            received = os.read(self._keys, _READ_BYTES)
        except OSError:
            received = b""
        if not received:  # the terminal was closed
            await trio.sleep_forever()
        return _SEQUENCES.sub("", self._decoder.decode(received))

    def _erased(self) -> str:
        """What takes the last line away."""
        if not self._footer:
            return ""
        self._footer = ""
        return _CLEAR_LINE

    def _painted(self, text: str, tone: Tone) -> str:
        colour = _COLOURS[tone] if self._colours else ""
        return f"{colour}{text}{_RESET}" if colour and text else text

    def _write(self, text: str) -> None:
        if not text or self.is_gone:
            return
        encoding = self._out.encoding or "utf-8"
        try:
            self._out.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self._out.flush()
        except BrokenPipeError:
            self.is_gone = True
            # What is left in the buffer would be complained about at the interpreter's end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())


def columns(out: TextIO) -> int:
    """How wide the terminal is now; the variable COLUMNS may be of another time."""
    try:
        return os.get_terminal_size(out.fileno()).columns or _WIDTH_UNKNOWN
    except OSError:
        return _WIDTH_UNKNOWN


def open_terminal(environ: Mapping[str, str], *, asks: bool = True) -> Terminal:
    """The terminal on standard input and output, as far as they are one.

    Args:
        environ: `NO_COLOR` and `TERM=dumb` are heard.
        asks: whether someone is to be asked in place where that is possible.
    """
    shown = sys.stdout.isatty() and environ.get("TERM", "dumb") != "dumb"
    asked = shown and asks and sys.stdin.isatty()
    keys = sys.stdin.fileno() if asked else None
    return Terminal(sys.stdout, keys=keys, colours=shown and not environ.get("NO_COLOR"))
