"""Which key means what while a prompt is asked, and what the line under it says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from placet.http.cli.question import SETTLE_S, Answer, Decision, LeftOpen, Question
from placet.http.cli.text import cells
from placet.http.client import Prompt
from tests.cli import given

SHOWN = given.BEGAN + 10
COUNTS = SHOWN + SETTLE_S


def asked(data: dict[str, Any] | None = None) -> Question:
    return Question(msgspec.convert(data or given.prompt(), Prompt), SHOWN)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        ("o", Decision("once")),
        ("s", Decision("session")),
        ("a", Decision("always")),
        ("q", LeftOpen()),
        ("\x04", LeftOpen()),
        ("y", None),
        ("\r", None),
        ("O", None),
        ("", None),
    ],
)
def test_one_key_decides(key: str, outcome: object) -> None:
    assert asked().press(key, COUNTS) == outcome


def test_keys_of_someone_who_was_typing_do_not_count() -> None:
    question = asked()

    assert question.press("o", SHOWN) is None
    assert question.press("o", COUNTS - 0.01) is None
    assert "once" not in question.footer(SHOWN, 100)
    assert "o once" in question.footer(COUNTS, 100)
    assert question.press("o", COUNTS) == Decision("once")


def test_what_is_pasted_decides_nothing() -> None:
    assert asked().press("oo", COUNTS) is None
    assert asked().press("ok", COUNTS) is None


def test_only_what_is_offered_can_be_chosen() -> None:
    question = asked(given.prompt(choices=["once", "deny"]))

    assert question.press("a", COUNTS) is None
    assert "always" not in question.footer(COUNTS, 100)


def test_a_no_may_have_a_reason() -> None:
    question = asked()

    assert question.press("d", COUNTS) is None
    assert question.press("not on a Fraidy\x7f\x7f\x7f\x7fiday ", COUNTS) is None
    assert question.footer(COUNTS, 100).endswith("› not on a Friday ")
    assert question.press("\r", COUNTS) == Decision("deny", "not on a Friday")


def test_a_no_needs_none_and_can_be_taken_back() -> None:
    question = asked()
    question.press("d", COUNTS)

    assert question.press("\x1b", COUNTS) is None
    assert "d deny" in question.footer(COUNTS, 100)
    question.press("d", COUNTS)
    assert question.press("\n", COUNTS) == Decision("deny")


def test_the_letters_of_a_reason_decide_nothing() -> None:
    question = asked()
    question.press("d", COUNTS)

    assert [question.press(key, COUNTS) for key in "osaq"] == [None] * 4


def test_a_lost_tool_is_run_again_or_taken_as_failed() -> None:
    data = given.prompt(kind="outcome_unknown", choices=["retry", "failed"])

    assert asked(data).press("r", COUNTS) == Decision("retry")
    assert asked(data).press("f", COUNTS) == Decision("failed")
    assert asked(data).press("o", COUNTS) is None


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [
        ("left\r", Answer("left")),
        ("2\r", Answer("right")),
        ("3\r", Answer("3")),
        ("\r", None),
        ("  \r", None),
        ("\x1b", LeftOpen()),
        ("\x04", LeftOpen()),
    ],
)
def test_a_question_is_answered_in_words_or_by_number(typed: str, outcome: object) -> None:
    assert asked(given.question()).press(typed, COUNTS) == outcome


def test_a_number_that_is_itself_a_choice_is_that_choice() -> None:
    assert asked(given.question(choices=["2", "1"])).press("1\r", COUNTS) == Answer("1")


def test_the_line_is_edited_as_on_a_terminal() -> None:
    question = asked(given.question(choices=[]))
    question.press("one two thre\x17three\x15four \x17", COUNTS)
    question.press("fünf\x00\x01", COUNTS)

    assert question.press("\r", COUNTS) == Answer("fünf")


@pytest.mark.parametrize(("left", "said"), [(3600, "59:49 left"), (7300, "2:01:29 left"), (5, "00:00 left")])
def test_it_says_how_much_time_is_left(left: float, said: str) -> None:
    assert said in asked(given.prompt(expires_at=given.BEGAN + left)).footer(COUNTS, 100)


def test_it_says_that_there_is_no_end() -> None:
    assert "waits without end" in asked(given.prompt(expires_at=None)).footer(COUNTS, 120)


@pytest.mark.parametrize("width", [4, 20, 40, 80, 120])
def test_the_line_never_wraps(width: int) -> None:
    question = asked()

    assert cells(question.footer(COUNTS, width)) <= width
    question.press("d", COUNTS)
    question.press("你" * 200, COUNTS)
    if width >= 40:
        assert cells(question.footer(COUNTS, width)) <= width
