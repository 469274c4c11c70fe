"""The demo agent: no model, but everything that a session can show.

It echoes what it is told. A line that begins with `$ ` is run in the terminal, past the guard; `/slow 100` says a hundred words at
twenty a second, to watch a stream or to have a turn to stop. It does nothing of its own accord, so it can be replayed.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import trio

from placet.actors.agents.gate import Refusal, run_guarded
from placet.actors.agents.marks import replayable

if TYPE_CHECKING:
    from placet.actors.agents.terminal import CommandResult
    from placet.actors.agents.turn import Turn

SLOW_WORDS = 10_000
"""The most words of one `/slow`: eight minutes, well within a turn's machine time."""

SLOW_WORD_S = 0.05
"""Between two words: twenty a second, about as fast as a model speaks."""

ECHO_PIECES = 256
"""The most pieces that an echo is said in. Word by word looks alive; a megabyte word by word would only be slow."""

_GREETING = "Tell me something and I say it again. `$ ls` runs a command, `/slow 100` counts."
_SLOW = re.compile(r"/slow(?:\s+(.*))?", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,5}")
_COMMAND = re.compile(r"^\$ [ \t]*(\S.*)\n?", re.MULTILINE)
_WORD = re.compile(r"\s*\S+\s*")


@replayable
async def demo(turn: Turn) -> str | None:
    """Answer one input, line by line. Stopping it leaves what was said and ends a running command."""
    if not turn.input.strip():
        return _GREETING
    if slow := _SLOW.fullmatch(turn.input.strip()):
        return await _count(turn, slow[1] or "")
    for place, part in enumerate(_COMMAND.split(turn.input)):
        if place % 2:  # text and commands take turns
            await turn.say(_report(await run_guarded(turn, part.rstrip())))
        elif part:
            await _echo(turn, part)
    return None


async def _echo(turn: Turn, text: str) -> None:
    words = _WORD.findall(text) or [text]
    at_once = math.ceil(len(words) / ECHO_PIECES)
    for first in range(0, len(words), at_once):
        await turn.say("".join(words[first : first + at_once]))


async def _count(turn: Turn, number: str) -> str | None:
    if not _NUMBER.fullmatch(number) or not 1 <= int(number) <= SLOW_WORDS:
        return f"How many words? `/slow 100`, at most {SLOW_WORDS}."
    for word in range(1, int(number) + 1):
        await turn.say(f"word {word}\n" if word == int(number) else f"word {word} ")
        await trio.sleep(SLOW_WORD_S)
    return None


def _report(ended: CommandResult | Refusal) -> str:
    if isinstance(ended, Refusal):
        return f"{ended.text}\n"
    end = f"timed out after {ended.duration_s:.0f} s" if ended.timed_out else f"exit status {ended.exit_code}"
    return f"{_fenced(ended.output)}({end})\n"


def _fenced(output: str) -> str:
    """The output as a Markdown block, with a fence longer than any in it."""
    if not output:
        return ""
    longest = max(map(len, re.findall(r"`+", output)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{output}{'' if output.endswith(chr(10)) else chr(10)}{fence}\n"
