"""The demo agent says what it is told, runs what may run, and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.agents import demo as module
from placet.actors.agents.demo import ECHO_PIECES, SLOW_WORD_S, SLOW_WORDS, demo
from placet.actors.agents.gate import Refusal, WhyNot
from placet.actors.agents.terminal import CommandResult
from tests.agents.fakes import APPROVED, DENIED, FakeTurn

if TYPE_CHECKING:
    from pathlib import Path

    from placet.actors.agents.turn import Turn


async def answer(text: str) -> tuple[str, FakeTurn]:
    turn = FakeTurn(text)
    returned = await demo(turn)
    return turn.said + (returned or ""), turn


@pytest.mark.parametrize(
    "text", ["hello", "two words", " spaced  out ", "line one\n\nline two\n", "$5 is money", "日本 語\t!"]
)
async def test_what_is_said_is_said_back_word_by_word(text: str) -> None:
    said, turn = await answer(text)
    assert said == text
    assert len(turn.events) == len(text.split())


async def test_a_long_text_is_said_in_a_bounded_number_of_pieces() -> None:
    text = "word " * 10 * ECHO_PIECES
    said, turn = await answer(text)
    assert said == text
    assert len(turn.events) == ECHO_PIECES


@pytest.mark.parametrize("text", ["", "  \n "])
async def test_silence_is_answered_with_what_it_can_do(text: str) -> None:
    assert "$ ls" in (await answer(text))[0]


async def test_slow_says_numbered_words_at_their_pace(autojump_clock: trio.testing.MockClock) -> None:
    begun = trio.current_time()
    said, turn = await answer("/slow 100")
    assert said.split() == " ".join(f"word {number}" for number in range(1, 101)).split()
    assert len(turn.events) == 100
    assert trio.current_time() - begun == pytest.approx(100 * SLOW_WORD_S)


async def test_slow_can_be_stopped(autojump_clock: trio.testing.MockClock) -> None:
    turn = FakeTurn(f"/slow {SLOW_WORDS}")
    with trio.move_on_after(SLOW_WORD_S * 10.5):
        await demo(turn)
    assert turn.said.endswith("word 11 ")


@pytest.mark.parametrize("number", ["", " 0", " -1", " many", f" {SLOW_WORDS + 1}", " " + "9" * 5000, " ²"])
async def test_slow_asks_for_a_number_that_makes_sense(number: str) -> None:
    said, _ = await answer(f"/slow{number}")
    assert said.startswith("How many words?")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Commands that would have run; each prints its own name."""
    commands: list[str] = []

    async def run(turn: Turn, command: str) -> CommandResult | Refusal:
        await trio.lowlevel.checkpoint()
        commands.append(command)
        return results.get(command, CommandResult(0, f"{command}!\n"))

    results: dict[str, CommandResult | Refusal] = {
        "quiet": CommandResult(1, ""),
        "slow": CommandResult(-15, "half", timed_out=True, duration_s=600.2),
        "fences": CommandResult(0, "a ```` b"),
        "no": Refusal(WhyNot.DENIED, "The command was not run: it was denied."),
    }
    monkeypatch.setattr(module, "run_guarded", run)
    return commands


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$ ls", "```\nls!\n```\n(exit status 0)\n"),
        ("$ quiet", "(exit status 1)\n"),
        ("$ slow", "```\nhalf\n```\n(timed out after 600 s)\n"),
        ("$ fences", "`````\na ```` b\n`````\n(exit status 0)\n"),
        ("$ no", "The command was not run: it was denied.\n"),
        (
            "before\n$ a\n$ b\nafter",
            "before\n```\na!\n```\n(exit status 0)\n```\nb!\n```\n(exit status 0)\nafter",
        ),
    ],
)
async def test_commands_are_run_in_their_order(ran: list[str], text: str, said: str) -> None:
    assert (await answer(text))[0] == said
    assert ran == [line[2:] for line in text.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("text", ["$ ", "$ls", "echo $ ls", "a\n$  \nb"])
async def test_what_is_no_command_is_text(ran: list[str], text: str) -> None:
    assert (await answer(text))[0] == text
    assert ran == []


@pytest.mark.thread
async def test_it_asks_before_it_removes(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    turn = FakeTurn(
        "$ echo 1 >> out\n$ rm -rf ./victim\n$ rm -rf ./victim",
        workspace=str(tmp_path),
        answers=(DENIED, APPROVED),
    )
    await demo(turn)
    assert [ask["command"] for ask in turn.asks()][-2:] == ["rm -rf ./victim"] * 2
    assert "it was denied (not today)" in turn.said
    assert not (tmp_path / "victim").exists()
