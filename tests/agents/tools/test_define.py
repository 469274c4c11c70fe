"""From a function to what a model is told of it, and how a call of it runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
import trio

from placet.actors.agents.tools import Request, Tool, ToolError, tool
from placet.actors.agents.tools.load import load_tools
from placet.actors.protocol.errors import PlacetError, StartRefused
from tests.agents.fakes import APPROVED, DENIED, EXPIRED, FakeTurn


@tool
async def weather(
    city: str, unit: Literal["C", "F"] = "C", days: Annotated[int, msgspec.Meta(le=7)] = 1
) -> Any:
    """Say what the weather will be.

    It is always fine.

    Args:
        city: Where,
            in words.
        unit: Of the temperature.
    """
    return {"city": city, "unit": unit, "days": days}


@tool(asks=True)
async def launch(turn: Unresolved, target: str) -> str:  # noqa: F821 - a type that only type checkers see
    """Launch it."""
    turn.events.append(("launched", target))
    return f"launched at {target}"


@tool
async def fails(kind: str) -> None:
    """Fail."""
    raise {"told": ToolError("no luck"), "own": ValueError("oops"), "ours": PlacetError("full", code="x")}[
        kind
    ]


async def run(wanted: Tool, turn: FakeTurn, **arguments: Any) -> str:
    return await wanted.run(turn, Request("c1", arguments))


def test_what_a_model_is_told() -> None:
    assert weather.name == "weather"
    assert weather.description == "Say what the weather will be.\n\nIt is always fine."
    assert weather.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where, in words."},
            "unit": {"enum": ["C", "F"], "default": "C", "description": "Of the temperature."},
            "days": {"type": "integer", "maximum": 7, "default": 1},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert list(launch.parameters["properties"]) == ["target"]


async def test_a_call_is_run_and_journaled() -> None:
    turn = FakeTurn()
    assert await run(weather, turn, city="Kyiv") == '{"city":"Kyiv","unit":"C","days":1}'
    assert turn.kinds() == ["start", "end"]
    assert turn.events[0][2] == {"city": "Kyiv"}


@pytest.mark.parametrize("arguments", [{}, {"city": 5}, {"city": "x", "days": 8}, {"city": "x", "more": 1}])
async def test_wrong_arguments_are_told_and_nothing_runs(arguments: dict[str, Any]) -> None:
    turn = FakeTurn()
    with pytest.raises(ToolError, match="These arguments are not right"):
        await run(weather, turn, **arguments)
    assert turn.events == []


async def test_an_asked_tool_runs_when_it_is_approved() -> None:
    turn = FakeTurn(answers=(APPROVED,))
    assert await run(launch, turn, target="moon") == "launched at moon"
    assert turn.kinds() == ["step", "ask", "start", "launched", "end"]
    (ask,) = turn.asks()
    assert (ask["tool"], ask["arguments"]) == ("launch", {"target": "moon"})
    assert ask["command"] == 'launch {"target":"moon"}'


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (DENIED, "This was not done: it was denied (not today)."),
        (EXPIRED, "This was not done: nobody decided in time."),
    ],
)
async def test_an_asked_tool_that_is_not_approved_tells_why(decision: Any, told: str) -> None:
    turn = FakeTurn(answers=(decision,))
    assert await run(launch, turn, target="moon") == told
    assert turn.kinds() == ["step", "ask"]


async def test_a_tool_that_fails_fails_its_call_alone() -> None:
    turn = FakeTurn()
    assert await run(fails, turn, kind="told") == "no luck"
    assert await run(fails, turn, kind="own") == "The tool failed: ValueError: oops"
    assert [event[2] for event in turn.events if event[0] == "end"] == [True, True]


async def test_what_placet_itself_raises_ends_the_turn() -> None:
    with pytest.raises(PlacetError, match="full"):
        await run(fails, FakeTurn(), kind="ours")


async def test_a_replayed_call_is_not_run_again() -> None:
    turn = FakeTurn(steps=({"verdict": "ask"},), answers=(APPROVED,), tools=({"text": "launched then"},))
    assert await run(launch, turn, target="moon") == "launched then"
    assert "launched" not in turn.kinds()


async def test_of_a_lost_call_the_model_is_told() -> None:
    turn = FakeTurn(steps=({"verdict": "ask"},), answers=(APPROVED,), tools=({"error": "lost"},))
    assert "counts as failed" in await run(launch, turn, target="moon")


async def test_a_long_result_is_cut_in_the_middle() -> None:
    @tool
    async def talk() -> str:
        """Talk."""
        return "a" * 100_000 + "b" * 100_000

    told = await run(talk, FakeTurn())
    assert told.startswith("aaa")
    assert told.endswith("bbb")
    assert "68928 bytes are cut here" in told


async def test_cancellation_leaves_a_call_without_an_end() -> None:
    @tool
    async def waits() -> None:
        """Wait."""
        await trio.sleep_forever()

    turn = FakeTurn()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, waits, turn)
            await trio.testing.wait_all_tasks_blocked()
            scope.cancel()
    assert turn.events[-1] == ("end", trio.Cancelled, True)


def test_what_is_no_tool_is_refused() -> None:
    def plain(x: int) -> None:
        """Do."""

    async def silent(x: int) -> None:
        pass

    async def untyped(x) -> None:
        """Do."""

    async def anything(*x: int) -> None:
        """Do."""

    for function in (plain, silent, untyped, anything):
        with pytest.raises(TypeError):
            tool(function)


def test_tools_are_loaded_from_modules() -> None:
    found = load_tools(("builtin", __name__))
    assert {"terminal", "read_file", "weather", "launch"} <= set(found)
    assert load_tools(()) == {}


@pytest.mark.parametrize(
    "words",
    [("tests.agents.fakes",), ("no_such_module",), ("builtin", "builtin")],
    ids=["none", "missing", "twice"],
)
def test_a_wrong_list_of_tools_stops_the_start(words: tuple[str, ...]) -> None:
    with pytest.raises(StartRefused):
        load_tools(words)
