"""Where a response's body ends: by its length, by chunks, or with the connection. Pure.

After RFC 9112, section 6. The head was read by h11, which has refused what it cannot make sense of; a body in chunks is taken apart
here because a model sends a chunk for each token, and two events of h11 for each cost more than all that becomes of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import h11

LINE_BYTES: Final = 4096
"""What may stand between two chunks: a size with its extensions. Behind the last one, all trailers."""

_MORE: Final = rb"[ \t]*(?:;[^\r\n]*)?"
_LAST: Final = rb"0+" + _MORE + rb"\r\n(?:[^\r\n]+\r\n)*"
_BETWEEN: Final = re.compile(rb"(?:%s\r\n|(?!0+[ \t;\r])([0-9A-Fa-f]{1,16})%s\r\n)" % (_LAST, _MORE))
_BEGUN: Final = re.compile(rb"(?:[0-9A-Fa-f]{0,16}%s\r?|%s[^\r\n]*\r?)" % (_MORE, _LAST))
"""All that leads from one chunk to the next, with the size of that one or, behind the last, none; and the beginnings of such."""


class Malformed(Exception):
    """It is no body in chunks."""


class Body(Protocol):
    """A body as it comes.

    Attributes:
        done: whether it has ended.
        rest: what came behind its end.
    """

    done: bool
    rest: bytes

    def feed(self, data: bytes) -> bytes:
        """Take bytes of the connection. Returns what of the body is in them.

        Raises:
            Malformed: it is no body.
        """
        ...


class Sized:
    """A body of a known length.

    Args:
        size: in bytes.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self.done = size == 0
        self.rest = b""

    def feed(self, data: bytes) -> bytes:
        """As `Body.feed`."""
        piece, self.rest = data[: self._left], data[self._left :]
        self._left -= len(piece)
        self.done = self._left == 0
        return piece


class Open:
    """A body that ends with the connection."""

    done = False
    rest = b""

    def feed(self, data: bytes) -> bytes:
        """As `Body.feed`."""
        return data


class Chunked:
    """A body in chunks."""

    def __init__(self) -> None:
        self._kept = b""
        self._left = 0
        self._end = b""  # of the chunk before
        self.done = False
        self.rest = b""

    def feed(self, data: bytes) -> bytes:
        """As `Body.feed`."""
        data, at, pieces = self._kept + data, 0, list[bytes]()
        while not self.done:
            pieces.append(data[at : at + self._left])
            at += len(pieces[-1])
            self._left -= len(pieces[-1])
            if self._left or not (taken := self._take_size(data, at)):
                break
            at += taken
        self._kept, self.rest = (b"", data[at:]) if self.done else (data[at:], b"")
        return b"".join(pieces)

    def _take_size(self, data: bytes, at: int) -> int:
        """What leads to the next chunk. Returns its length, 0 if it is not all here."""
        start = at + len(self._end)
        found = _BETWEEN.match(data, start) if data.startswith(self._end, at) else None
        if found is None:
            _check(data[at:], self._end)
            return 0
        self.done = found[1] is None
        self._left = int(found[1] or b"0", 16)
        self._end = b"\r\n"
        return found.end() - at


def _check(line: bytes, end: bytes) -> None:
    """Say whether this may become what leads to the next chunk."""
    begun = end.startswith(line) or (line.startswith(end) and _BEGUN.fullmatch(line, len(end)) is not None)
    if len(line) > LINE_BYTES or not begun:
        raise Malformed(f"no chunk: {line[:40]!r}")


def body_of(head: h11.Response) -> Body:
    """The body behind a head, of a response to a POST."""
    if head.status_code in (204, 304):
        return Sized(0)
    headers = dict(head.headers)
    if b"transfer-encoding" in headers:
        return Chunked()
    length = headers.get(b"content-length")
    return Open() if length is None else Sized(int(length))
