"""Tables for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.http.cli.output import table
from placet.http.cli.progress import size
from placet.http.cli.text import cells
from placet.http.cli.times import ago, countdown, left


def test_columns_stand_under_their_heads_and_the_last_is_cut() -> None:
    assert table(["ID", "WHAT"], [["a", "x"], ["你好", "y" * 50]], 30) == [
        "ID    WHAT",
        "a     x",
        f"你好  {'y' * 23}…",
    ]


@given(st.lists(st.tuples(st.text("ab你", max_size=9), st.text()), min_size=1), st.integers(60, 90))
def test_a_row_is_one_line_that_acts_on_nothing(rows: list[tuple[str, str]], width: int) -> None:
    for line in table(["A", "B"], rows, width):
        assert "\n" not in line
        assert "\x1b" not in line
        assert cells(line) <= width


@pytest.mark.parametrize(
    ("seconds", "word"),
    [(-5, "0 s"), (89, "89 s"), (90, "2 min"), (5400, "2 h"), (90000, "25 h"), (3e5, "3 d")],
)
def test_spans(seconds: float, word: str) -> None:
    assert ago(1000.0, 1000.0 + seconds) == f"{word} ago"
    assert left(1000.0 + seconds, 1000.0) == f"{word} left"


def test_no_end_is_no_span() -> None:
    assert (left(None, 0.0), countdown(None, 0.0)) == ("open", "waits without end")


@pytest.mark.parametrize(
    ("count", "word"), [(0, "0 kB"), (1500, "2 kB"), (2_500_000, "2.5 MB"), (3 * 10**9, "3.00 GB")]
)
def test_sizes(count: int, word: str) -> None:
    assert size(count) == word
