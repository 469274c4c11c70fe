"""JSON at the border: refuses what would do harm further in, and writes what every reader of streams can take."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import accumulate
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, cast

import msgspec

from placet.actors.protocol.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH_MAX = 100
"""Levels. No honest request comes near it; the parsers of Python, SQLite and most models give up at about 1 000."""

_SHOWN_CHARACTERS = 64
"""Of a client's own words repeated in an error: enough to recognise, too little to flood a log."""

_SCANNED_AT_ONCE = 4096
"""Brackets. Few, so that a body of brackets alone is refused at its beginning."""

_STRUCTURE = b'"[]{}'
_NOT_STRUCTURE = bytes(set(range(256)) - set(_STRUCTURE))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NON_ASCII = re.compile("[^\x00-\x7f]+")


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a request's body.

    A byte order mark is ignored, as some shells write one. The cost is linear in the size of the body, whatever it holds.

    Args:
        body: the whole body, UTF-8.

    Returns:
        The object, equal to what `json.loads` gives.

    Raises:
        InvalidInput: `invalid_json`. The body is empty, no UTF-8, no JSON, no object, or nested more than 100 levels deep; or
            it holds a key twice, NaN, an infinity, a number too large for a float, or half of a surrogate pair.
    """
    _check_depth(body)
    text = _decode(body)
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite_float
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _invalid(f"The body is not JSON: {error.msg} at {where}.") from None
    except ValueError:  # an integer of more digits than Python converts
        raise _invalid("The body holds an integer of too many digits.") from None
    if not isinstance(value, dict):
        raise _invalid(f"The body must be a JSON object, not {_kind(value)}.")
    document = cast("dict[str, Any]", value)
    if _SURROGATE_ESCAPE.search(body):
        _refuse_lone_surrogates(document)
    return document


def dump_ascii(value: object) -> bytes:
    """JSON with every non-ASCII character escaped: no reader of lines can be cut by U+2028 or its like.

    Args:
        value: what msgspec can encode; its text holds no lone surrogate.

    Raises:
        UnicodeEncodeError: there is a lone surrogate after all.
        TypeError: there is an object that JSON has no form for.
    """
    encoded = msgspec.json.encode(value)
    if encoded.isascii():
        return encoded
    return _NON_ASCII.sub(_escape, encoded.decode()).encode("ascii")


def _escape(run: re.Match[str]) -> str:
    return encode_basestring_ascii(run[0])[1:-1]


def _check_depth(body: bytes) -> None:
    if body.count(b"[") + body.count(b"{") <= DEPTH_MAX:
        return
    # Escaped backslashes first: what is left before a quote then truly escapes it. Every second piece between quotes is text.
    bare = body.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_STRUCTURE)
    brackets = b"".join(bare.split(b'"')[::2])
    depth = 0
    for start in range(0, len(brackets), _SCANNED_AT_ONCE):
        steps = map(_STEP.__getitem__, brackets[start : start + _SCANNED_AT_ONCE])
        levels = list(accumulate(steps, initial=depth))
        if max(levels) > DEPTH_MAX:
            raise _invalid(f"The body is nested more than {DEPTH_MAX} levels deep.")
        depth = levels[-1]


def _decode(body: bytes) -> str:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(f"The body is not UTF-8: bad byte at offset {error.start}.") from None
    if not text.strip():
        raise _invalid("The body is empty; it must be a JSON object.")
    return text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _invalid(f"The key {json.dumps(twice[:_SHOWN_CHARACTERS])} stands twice in one object.")
    return value


def _refuse_constant(word: str) -> None:
    raise _invalid(f"{word} is not JSON.")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _invalid(f"The number {digits[:_SHOWN_CHARACTERS]} is too large.")
    return value


def _refuse_lone_surrogates(value: dict[str, Any]) -> None:
    where = next(_with_surrogates(value, ""), None)
    if where is not None:
        raise _invalid("The text holds half of a surrogate pair, which is no character.", param=where or None)


def _with_surrogates(value: object, path: str) -> Iterator[str]:
    """The paths of all text with a surrogate in it. The parser has joined the pairs, so what is left is alone."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            yield path
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _with_surrogates(key, path)
            yield from _with_surrogates(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from _with_surrogates(inner, f"{path}[{index}]")


def _kind(value: object) -> str:
    names: dict[type, str] = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _invalid(message: str, *, param: str | None = None) -> InvalidInput:
    return InvalidInput(message, code="invalid_json", param=param)
