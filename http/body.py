"""A request's body, read whole within a limit."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Protocol

from placet.actors.protocol.errors import InvalidInput, TooLarge

if TYPE_CHECKING:
    from quart import Request

_GZIP = 16 + zlib.MAX_WBITS
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_DIGITS = re.compile("[0-9]{1,18}")


async def read_body(request: Request, limit_bytes: int) -> bytes:
    """The body, decompressed.

    Checkpoints if the body has not arrived yet; a cancelled read leaves the connection to the server, which closes it. The media
    type is not looked at. The app's own `MAX_CONTENT_LENGTH` must not be smaller than the limit.

    Args:
        request: the request; nothing else has read its body.
        limit_bytes: what the body may have, both as sent and decompressed.

    Raises:
        TooLarge: it has more. Refused by its `Content-Length` before anything is read, else as soon as the limit is passed: of a
            decompression bomb no more than the limit is ever inflated.
        InvalidInput: `invalid_content_length`; `unsupported_media_type` for a charset other than UTF-8 or a content coding other
            than gzip; `invalid_body` for bytes that are not gzip although they say so.
    """
    _check_charset(request)
    _check_length(request, limit_bytes)
    sink = _sink(request, limit_bytes)
    received_bytes = 0
    async for chunk in request.body:
        received_bytes += len(chunk)
        if received_bytes > limit_bytes:
            raise _too_large(limit_bytes)
        sink.feed(chunk)
    return sink.finish()


class _Sink(Protocol):
    def feed(self, chunk: bytes) -> None: ...
    def finish(self) -> bytes: ...


class _Plain:
    """Keeps what arrives."""

    def __init__(self) -> None:
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        self._body += chunk

    def finish(self) -> bytes:
        return bytes(self._body)


class _Gunzip:
    """Inflates what arrives, one gzip member after another, and never more than the limit."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._body = bytearray()
        self._member = zlib.decompressobj(_GZIP)

    def feed(self, chunk: bytes) -> None:
        while chunk:
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)
            # one byte above what may still come: 0 would mean no limit, and the byte too many is what tells a bomb
            room = self._limit_bytes - len(self._body) + 1
            try:
                self._body += self._member.decompress(chunk, room)
            except zlib.error:
                raise _not_gzip() from None
            if len(self._body) > self._limit_bytes:
                raise _too_large(self._limit_bytes)
            chunk = self._member.unused_data

    def finish(self) -> bytes:
        if not self._member.eof:
            raise _not_gzip()
        return bytes(self._body)


def _sink(request: Request, limit_bytes: int) -> _Sink:
    coding = ", ".join(request.headers.getlist("Content-Encoding")).strip().lower()
    if coding in ("", "identity"):
        return _Plain()
    if coding in ("gzip", "x-gzip"):
        return _Gunzip(limit_bytes)
    raise InvalidInput(
        "Only gzip is taken as Content-Encoding.", code="unsupported_media_type", param="Content-Encoding"
    )


def _check_charset(request: Request) -> None:
    charset = request.mimetype_params.get("charset", "utf-8").strip().lower()
    if charset not in _UTF8:
        raise InvalidInput(
            "Only UTF-8 is taken as charset.", code="unsupported_media_type", param="Content-Type"
        )


def _check_length(request: Request, limit_bytes: int) -> None:
    length = request.headers.get("Content-Length")
    if length is None:
        return
    if not _DIGITS.fullmatch(length):
        raise InvalidInput(
            "Content-Length is not a number.", code="invalid_content_length", param="Content-Length"
        )
    if int(length) > limit_bytes:
        raise _too_large(limit_bytes)


def _too_large(limit_bytes: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit_bytes} bytes.")


def _not_gzip() -> InvalidInput:
    return InvalidInput(
        "The body says that it is gzip, and is not, or not all of it.",
        code="invalid_body",
        param="Content-Encoding",
    )
