"""A prompt as a person reads it."""

from __future__ import annotations

import msgspec
import pytest

from placet.http.cli.prompt import how_to_decide, show_prompt, summary
from placet.http.cli.text import Tone, cells
from placet.http.client import Prompt
from tests.cli import given


def shown(data: dict, width: int = 80) -> str:
    return "\n".join(said.text for said in show_prompt(msgspec.convert(data, Prompt), width))


def test_it_says_what_where_why_and_what_an_answer_leaves_behind() -> None:
    assert shown(given.prompt(warnings=["zero-width character U+200B"])) == (
        "? May this run? · terminal\n"
        "  │ rm -rf build\n"
        "  in        /work\n"
        "  why       rm deletes files.\n"
        "  beware    zero-width character U+200B\n"
        "  session   exactly this, in this session\n"
        "  always    exactly this, always"
    )


def test_a_rule_that_cannot_be_made_is_not_promised() -> None:
    assert "always" not in shown(given.prompt(choices=["once", "deny"]))


@pytest.mark.parametrize("width", [20, 79])
def test_every_line_of_what_would_run_stands_behind_a_bar(width: int) -> None:
    """So that a command cannot paint lines that look like ours, neither with line ends nor by its length."""
    command = "echo a\n✓ allowed, once, by ann\n" + "x" * 200
    lines = shown(given.prompt(display=command), width).splitlines()
    behind = [line.removeprefix("  │ ") for line in lines if line.startswith("  │ ")]

    assert "".join(behind) == command.replace("\n", "")
    assert "✓ allowed, once, by ann" not in lines
    assert all(cells(line) <= width for line in lines)


def test_nothing_of_it_acts_on_the_terminal() -> None:
    hostile = "\x1b[1A\x1b[2Kls"
    data = given.prompt(
        display=hostile,
        description=hostile,
        directory=hostile,
        warnings=[hostile],
        tool=hostile,
        path=f"root/{hostile}",
    )

    assert "\x1b" not in shown(data)
    assert "\x1b" not in shown(given.question(question=hostile, choices=[hostile]))
    assert "\x1b" not in summary(msgspec.convert(data, Prompt), 40)


def test_a_child_that_asks_is_named() -> None:
    assert shown(given.prompt(path="root/tester#2")).startswith(
        "? May this run? · terminal · asked by tester#2\n"
    )


def test_a_question_lists_its_choices() -> None:
    assert shown(given.question()) == "? The agent asks:\n  │ Which way?\n  1         left\n  2         right"


def test_a_tool_that_was_lost_is_no_ordinary_prompt() -> None:
    assert "nobody knows what it did" in shown(given.prompt(kind="outcome_unknown"), 200)


def test_warnings_stand_out() -> None:
    tones = {
        said.text: said.tone
        for said in show_prompt(msgspec.convert(given.prompt(warnings=["w"]), Prompt), 80)
    }

    assert tones["  beware    w"] is Tone.WARN
    assert tones["  │ rm -rf build"] is Tone.STRONG


def test_how_to_decide_from_elsewhere() -> None:
    assert "placet approvals approve p1" in how_to_decide(msgspec.convert(given.prompt(), Prompt))
    assert "placet approvals answer q1" in how_to_decide(msgspec.convert(given.question(), Prompt))
