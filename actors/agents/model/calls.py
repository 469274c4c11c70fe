"""Running the tool calls of one message: side by side, with the results in the model's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.agents.tools.tool import Request, ToolError
from placet.actors.protocol.errors import PlacetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.agents.mcp import Bench
    from placet.actors.agents.turn import Turn
    from placet.actors.protocol.conversation import ToolCall


async def run_calls(turn: Turn, bench: Bench, calls: Sequence[ToolCall]) -> list[str]:
    """What the model is told of each call, in the order of the calls. They run at once. Always a checkpoint.

    Args:
        turn: whose calls they are.
        bench: where the tools are.
        calls: what the model wants.

    Raises:
        PlacetError: what the turn's own methods raise. The calls that still run are cancelled then.
    """
    results = [""] * len(calls)
    failures: list[PlacetError] = []

    async def run(place: int, call: ToolCall) -> None:
        try:
            results[place] = await _run(turn, bench, call)
        except PlacetError as error:  # not raised here: the nursery would make a group of it
            failures.append(error)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for place, call in enumerate(calls):
            nursery.start_soon(run, place, call)
    if failures:
        raise failures[0]
    return results


async def _run(turn: Turn, bench: Bench, call: ToolCall) -> str:
    """One call. What is wrong with the call itself, the model is told."""
    tool = bench.find(call.name)
    if tool is None:
        offered = ", ".join(each.name for each in bench.offered())
        return f"There is no tool {call.name!r}. There are: {offered or 'none'}."
    try:
        return await tool.run(turn, Request(call.id, _arguments(call.arguments)))
    except ToolError as error:
        return str(error)


def _arguments(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ToolError(f"The arguments are no JSON object: {error}") from None
