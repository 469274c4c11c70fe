"""Server-sent events, as a model's server writes them: bytes in, the data of events out. Pure.

After the section on event streams of the HTML standard. What is not data (names, ids, comments) is passed over, because chat
completions put everything into the data; and an event has a largest size.
"""

from __future__ import annotations

from typing import Final

EVENT_BYTES: Final = 4 * 1024 * 1024
"""One event of the stream. A call that writes a large file may come in one piece."""

_BOM: Final = b"\xef\xbb\xbf"


class EventTooLong(Exception):
    """An event does not end."""


class Events:
    """Takes a stream apart, however it is cut into pieces and however its lines end.

    Args:
        limit_bytes: the most that one event may hold.
    """

    def __init__(self, limit_bytes: int = EVENT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._line = bytearray()  # the one that has begun
        self._data: list[bytes] = []
        self._size = 0
        self._is_first = True
        self._after_return = False

    def feed(self, piece: bytes) -> list[str]:
        """Take a piece of the stream.

        Returns:
            The data of each event that ended in it, in order. Events without data are passed over.

        Raises:
            EventTooLong: more than `limit_bytes` came without an event's end.
        """
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]  # the second half of a line's end
        self._after_return = piece.endswith(b"\r")
        lines = piece.splitlines()
        self._line += lines[0] if lines else b""
        events: list[str] = []
        if len(lines) > 1 or piece.endswith((b"\r", b"\n")):
            lines[0] = bytes(self._line)
            self._line[:] = b"" if piece.endswith((b"\r", b"\n")) else lines.pop()
            events = [event for line in lines if (event := self._take(line))]
        if self._size + len(self._line) > self._limit_bytes:
            raise EventTooLong
        return events

    def _take(self, line: bytes) -> str | None:
        """The data of the event that this line ends, if it ends one."""
        if self._is_first:
            line, self._is_first = line.removeprefix(_BOM), False
        if not line:
            data, self._data, self._size = self._data, [], 0
            return b"\n".join(data).decode("utf-8", "replace")
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._size += len(value)
        return None
