"""JSON at the border."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.actors.protocol.errors import InvalidInput
from placet.http.strict_json import DEPTH_MAX, dump_ascii, parse_object

UNHURRIED = settings(deadline=None)  # other work on the machine must not fail a test


def nested(levels: int) -> bytes:
    return b'{"x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def refusal(body: bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse_object(body)
    assert caught.value.code == "invalid_json"
    return caught.value


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"[]", "not an array"),
        (b"null", "not null"),
        (b"true", "not a boolean"),
        (b'"hi"', "not a string"),
        (b"5", "not a number"),
        (b'{"messages":', "line 1, column 13"),
        (b'{"a": 1}\n}', "line 2, column 1"),
        (b'{"a": 1, "a": 2}', '"a"'),
        (b'{"a": {"b": 1, "b": 1}}', '"b"'),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": 1e999}', "1e999"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b'{"a": "\xff"}', "offset 7"),
        (b'{"a": "\xed\xa0\x80"}', "offset 7"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        (b'{"a": "\x01"}', "line 1"),
        (b"{'a': 1}", "line 1, column 2"),
    ],
)
def test_refusals_say_what_and_where(body: bytes, says: str) -> None:
    assert says in refusal(body).message


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (rb'{"messages":[{"role":"user","content":"cut \ud83d"}]}', "messages[0].content"),
        (rb'{"messages":[{"content":"x \uDE00 y"}]}', "messages[0].content"),
        (rb'{"a":{"\ud83d":1}}', "a"),
        (rb'{"\ud83d":1}', None),
        (rb'{"a":"\ude00\ud83d"}', "a"),
    ],
)
def test_half_a_pair_is_refused_with_its_place(body: bytes, param: str | None) -> None:
    assert refusal(body).param == param


@pytest.mark.parametrize("body", [rb'{"a":"\ud83d\ude00"}', '{"a":"😀"}'.encode()])
def test_a_whole_pair_is_one_character(body: bytes) -> None:
    assert parse_object(body) == {"a": "😀"}


def test_an_escaped_backslash_before_u_is_no_surrogate() -> None:
    assert parse_object(rb'{"a":"\\ud83d"}') == {"a": r"\ud83d"}


def test_a_byte_order_mark_is_ignored() -> None:
    assert parse_object(b'\xef\xbb\xbf{"a":1}') == {"a": 1}


def test_depth_is_bounded_exactly() -> None:
    assert parse_object(nested(DEPTH_MAX)) == json.loads(nested(DEPTH_MAX))
    assert "levels" in refusal(nested(DEPTH_MAX + 1)).message


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"b":'])
def test_twenty_thousand_levels_are_refused_as_any_other_mistake(opening: bytes) -> None:
    assert "levels" in refusal(b'{"messages":[],"x":' + opening * 20_000).message


def test_brackets_in_text_are_not_structure() -> None:
    text = "[{" * 200 + '"[' * 200 + "\\[" * 200 + "\\"
    body = json.dumps({"a": [text] * 3}).encode()
    assert parse_object(body) == {"a": [text] * 3}


def test_many_shallow_brackets_are_fine() -> None:
    body = b'{"a":[' + b"[],{}," * 5000 + b"[]]}"
    assert parse_object(body) == json.loads(body)


def test_a_long_key_is_not_repeated_whole() -> None:
    key = "k" * 5000
    assert len(refusal(f'{{"{key}":1,"{key}":2}}'.encode()).message) < 200


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@pytest.mark.slow
@UNHURRIED
@given(st.dictionaries(st.text(), plain), st.booleans())
def test_accepts_what_the_standard_library_writes(document: dict[str, Any], ascii_only: bool) -> None:
    assert parse_object(json.dumps(document, ensure_ascii=ascii_only).encode()) == document


@UNHURRIED
@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:\\u d83e0\ufeff1', max_size=200).map(str.encode))
def test_never_raises_anything_but_its_own_refusal(body: bytes) -> None:
    try:
        value = parse_object(body)
    except InvalidInput:
        return
    assert value == json.loads(body)


@pytest.mark.slow
@UNHURRIED
@given(plain)
def test_what_is_written_is_ascii_and_reads_back_the_same(value: Any) -> None:
    written = dump_ascii(value)
    assert written.isascii()
    assert b"\n" not in written
    assert json.loads(written) == value
    assert msgspec.json.decode(written) == value


def test_line_separators_and_astral_characters_are_escaped() -> None:
    assert dump_ascii({"a": "é\u2028😀"}) == rb'{"a":"\u00e9\u2028\ud83d\ude00"}'


@UNHURRIED
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive(number: float) -> None:
    assert math.isclose(parse_object(json.dumps({"a": number}).encode())["a"], number)
