"""Running the tool calls of one message: side by side, with the results in the model's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.agents.tools.tool import Request, Tool, ToolError
from placet.actors.protocol.errors import PlacetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from placet.actors.agents.turn import Turn
    from placet.actors.protocol.conversation import ToolCall


async def run_calls(turn: Turn, tools: Mapping[str, Tool], calls: Sequence[ToolCall]) -> list[str]:
    """What the model is told of each call, in the order of the calls. Always a checkpoint.

    Calls that say exactly the same run one after the other, so that a replay finds the prompt of each; all others run at once.

    Args:
        turn: whose calls they are.
        tools: by name.
        calls: what the model wants.

    Raises:
        PlacetError: what the turn's own methods raise. The calls that still run are cancelled then.
    """
    results = [""] * len(calls)
    failures: list[PlacetError] = []
    alike: dict[tuple[str, str], list[int]] = {}
    for place, call in enumerate(calls):
        alike.setdefault((call.name, call.arguments), []).append(place)

    async def run(places: list[int]) -> None:
        try:
            for place in places:
                results[place] = await _run(turn, tools, calls[place])
        except PlacetError as error:  # not raised here: the nursery would make a group of it
            failures.append(error)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for places in alike.values():
            nursery.start_soon(run, places)
    if failures:
        raise failures[0]
    return results


async def _run(turn: Turn, tools: Mapping[str, Tool], call: ToolCall) -> str:
    """One call. What is wrong with the call itself, the model is told."""
    tool = tools.get(call.name)
    if tool is None:
        return f"There is no tool {call.name!r}. There are: {', '.join(tools)}."
    try:
        return await tool.run(turn, Request(call.id, _arguments(call.arguments)))
    except ToolError as error:
        return str(error)


def _arguments(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise ToolError(f"The arguments are no JSON object: {error}") from None
