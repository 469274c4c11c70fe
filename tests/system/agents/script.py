"""An agent that does what it is told: the input is a script, one JSON object a line, each with one instruction.

    {"say": "text"}                          a delta
    {"words": 50, "every_s": 0.1}            numbered deltas, `w1 ` to `w50 `; with `size` each has that many characters
    {"sleep": 0.5}                           nothing, for some seconds
    {"sh": "rm -rf ./victim"}                a command, past the guard
    {"ask": "rm -rf ./victim", ...}          only the question, with more arguments of `request_approval`; the file
                                             `decisions` of the workspace gets the choice and the outcome
    {"append": "count"}                      one line in that file of the workspace, journaled so that a replay does not repeat it
    {"wait_for": "go"}                       until that file is in the workspace
    {"history": true}                        say what was said before, as JSON
    {"both": [[...], [...]]}                 two scripts side by side
    {"raise": "words"}                       an error that is nobody's fault but the agent's

A line that is no JSON object is said as it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from placet.actors.agents import replayable, run_guarded
from placet.actors.protocol.approvals import Choice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.agents import BlockingTurn, Turn

LOOK_EVERY_S = 0.02


async def opaque(turn: Turn) -> None:
    """Plays the script; may not be run again."""
    await _play(turn, [_instruction(line) for line in turn.input.splitlines()])


@replayable
async def replayed(turn: Turn) -> None:
    """Plays the script; is run again after a crash."""
    await opaque(turn)


def blocking(turn: BlockingTurn) -> str:
    """Asks about its whole input from a thread, and says how that ended."""
    decision = turn.request_approval(command=turn.input, description="a test", pattern_key="test")
    return f"{decision.choice} {decision.outcome.value}"


def _instruction(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {"say": line}
    return found if isinstance(found, dict) else {"say": line}


async def _play(turn: Turn, script: list[dict[str, Any]]) -> None:
    for instruction in script:
        name, argument = next(iter(instruction.items()))
        more = {key: value for key, value in instruction.items() if key != name}
        await _DO[name](turn, argument, **more)


async def _say(turn: Turn, text: str) -> None:
    await turn.say(text)


async def _words(turn: Turn, count: int, every_s: float, size: int = 0) -> None:
    for number in range(1, count + 1):
        await turn.say(f"w{number} ".ljust(size))
        await trio.sleep(every_s)


async def _sleep(turn: Turn, seconds: float) -> None:
    await trio.sleep(seconds)


async def _sh(turn: Turn, command: str) -> None:
    await run_guarded(turn, command)


async def _ask(turn: Turn, command: str, choices: list[str] | None = None, **more: Any) -> None:
    if choices is not None:
        more["choices"] = tuple(map(Choice, choices))
    decision = await turn.request_approval(command=command, description="a test", pattern_key="test", **more)
    _append(turn, "decisions", f"{decision.choice} {decision.outcome.value}")


async def _append_once(turn: Turn, name: str) -> None:
    async def append() -> None:
        _append(turn, name, "x")

    await turn.step(name, append)


async def _wait_for(turn: Turn, name: str) -> None:
    while not _place(turn, name).exists():  # noqa: ASYNC110 - the file comes from outside
        await trio.sleep(LOOK_EVERY_S)


async def _history(turn: Turn, _: bool) -> None:
    await turn.say(json.dumps([[message.role, message.text] for message in turn.history]))


async def _both(turn: Turn, scripts: list[list[dict[str, Any]]]) -> None:
    async with trio.open_nursery() as nursery:
        for script in scripts:
            nursery.start_soon(_play, turn, script)


async def _raise(turn: Turn, words: str) -> None:
    raise RuntimeError(words)


def _place(turn: Turn, name: str) -> Path:
    return Path(turn.surroundings.workspace, name)


def _append(turn: Turn, name: str, line: str) -> None:
    with _place(turn, name).open("a") as file:
        file.write(f"{line}\n")


_DO: dict[str, Callable[..., Awaitable[None]]] = {
    "say": _say,
    "words": _words,
    "sleep": _sleep,
    "sh": _sh,
    "ask": _ask,
    "append": _append_once,
    "wait_for": _wait_for,
    "history": _history,
    "both": _both,
    "raise": _raise,
}
