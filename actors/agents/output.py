"""What a command printed: all of it while it runs, head and tail of it afterwards."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LIVE_BYTES = 1024 * 1024
"""Of one command's output that is passed on while it runs. `yes` would fill the disk with progress that nobody reads."""

_CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that begin no character."""


class KeptOutput:
    """The head and the tail of an output, and how much is missing between them. Pure.

    Args:
        keep_bytes: how much to keep at each end.

    Attributes:
        cut_bytes: how much is missing.
    """

    def __init__(self, keep_bytes: int) -> None:
        self.cut_bytes = 0
        self._keep_bytes = keep_bytes
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes | bytearray) -> None:
        """Take what was printed next."""
        room = self._keep_bytes - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = len(self._tail) - self._keep_bytes
        if excess > 0:
            del self._tail[:excess]
            self.cut_bytes += excess

    def text(self) -> str:
        """What is kept, as text. What is not UTF-8 is replaced; where something was cut, a sentence says so."""
        if not self.cut_bytes:
            return (self._head + self._tail).decode(errors="replace")
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(self._head)
        tail = (self._tail[:3].lstrip(_CONTINUATION) + self._tail[3:]).decode(errors="replace")
        notice = f"{self.cut_bytes} bytes are cut here; the first and the last {self._keep_bytes} are kept"
        return f"{head}\n[{notice}]\n{tail}"


class LiveOutput:
    """An output while it comes, as text in the pieces in which it comes, up to a bound.

    Args:
        on_output: is given each piece; it may wait.
    """

    def __init__(self, on_output: Callable[[str], Awaitable[None]]) -> None:
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._room = LIVE_BYTES

    async def add(self, data: bytes | bytearray) -> None:
        """Pass on what was printed next. Waits only if `on_output` does."""
        if self._room < 0:
            return
        text = self._decoder.decode(data[: self._room])
        self._room -= len(data)
        if self._room < 0:
            text += "\n[the output goes on; no more of it is shown while the command runs]\n"
        if text:
            await self._on_output(text)

    async def end(self) -> None:
        """Pass on a last character that was begun and never finished. Waits only if `on_output` does."""
        text = self._decoder.decode(b"", final=True)
        if text and self._room >= 0:
            await self._on_output(text)
