"""Nothing that a server sends acts on the terminal, and everything fits where it is put."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.http.cli.text import cells, cut, escaped, one_line, words_wrapped, wrapped

HOSTILE = (
    "\x1b[2J",  # clears the screen
    "\x1b]0;title\x07",
    "\x9b31m",  # the same in one C1 character
    "a\rb",  # writes over the line
    "\x08\x08",
    "\u202egnp.exe",  # turns the direction
    "\u2066x\u2069",
    "\u200b\ufeff\u00ad",
    "\u2028",
    "\U000e0041",
    "\x00\x7f",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_acts_on_a_terminal_is_escaped(text: str) -> None:
    shown = escaped(text)

    assert "\\" in shown
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp", "Cs"} for char in shown)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_control_character_is_left_but_line_end_and_tab(text: str) -> None:
    for char in escaped(text):
        assert char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"}
    escaped(text).encode()


def test_words_of_people_stay_as_they_are() -> None:
    text = "Grüße, 你好 👩\u200d💻, שלום\n\tنعم"

    assert escaped(text) == text
    assert escaped("a\r\nb") == "a\nb"


@given(st.text(alphabet="ab 你\t\n\x1b"), st.integers(2, 12))
def test_wrapped_lines_fit_and_nothing_is_left_out(text: str, width: int) -> None:
    lines = wrapped(text, width)

    assert all(cells(line) <= width for line in lines)
    assert "".join(lines) == escaped(text).expandtabs(4).replace("\n", "")


@given(st.text(alphabet="ab 你\n"), st.integers(2, 12))
def test_prose_is_broken_between_words(text: str, width: int) -> None:
    lines = words_wrapped(text, width)

    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(text.split())


def test_what_is_cut_says_so() -> None:
    assert cut("你好吗", 6) == "你好吗"
    assert cut("你好吗", 5) == "你好…"
    assert one_line("a\n  b\x1b", 20) == "a b\\x1b"
    assert cells(one_line("x" * 50, 10)) == 10


def test_wide_and_joining_characters_count_as_they_are_shown() -> None:
    assert [cells(text) for text in ("abc", "你", "e\u0301", "👩")] == [3, 2, 1, 2]
