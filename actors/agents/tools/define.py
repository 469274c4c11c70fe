"""From a function to a tool."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import msgspec

from placet.actors.agents.tools.asked import Look, LookAt, run_asked
from placet.actors.agents.tools.schema import TURN, arguments_type, description, parameters_schema
from placet.actors.agents.tools.tool import Request, Tool, ToolError
from placet.actors.guard import Verdict

if TYPE_CHECKING:
    from placet.actors.agents.turn import Turn

Function = Callable[..., Awaitable[Any]]


@overload
def tool(function: Function, /) -> Tool: ...
@overload
def tool(*, asks: bool | LookAt = False) -> Callable[[Function], Tool]: ...
def tool(
    function: Function | None = None, /, *, asks: bool | LookAt = False
) -> Tool | Callable[[Function], Tool]:
    """Make a tool of an async function, by a bare `@tool` or by `@tool(asks=True)`.

    The model is told the function's name, its docstring up to the first section, and its parameters: their annotations, their
    defaults, and what `Args:` says of them. A first parameter named `turn` is given the turn instead. What the function returns
    is what the model is told, as text or else as JSON; `ToolError` tells it what went wrong. It is run once: after a crash a
    finished call is answered from the journal, and an unfinished one is asked about.

    Args:
        function: what runs.
        asks: whether a person is asked before each call; or a function that looks whether.

    Raises:
        TypeError: the function is not async, has no docstring, or has a parameter that says nothing of its type.
    """
    if function is None:
        return partial(_define, asks=asks)
    return _define(function, asks=asks)


def _define(function: Function, asks: bool | LookAt) -> Tool:
    docstring = inspect.getdoc(function)
    if not inspect.iscoroutinefunction(function) or not docstring:
        raise TypeError(f"The tool {function.__name__} must be `async def` and have a docstring.")
    arguments = arguments_type(function)
    look_at = (_always if asks else None) if isinstance(asks, bool) else asks
    wants_turn = TURN in inspect.signature(function).parameters

    async def run(turn: Turn, request: Request) -> str:
        given = checked(request, arguments)
        work = partial(function, turn, **given) if wants_turn else partial(function, **given)
        return await run_asked(turn, function.__name__, request, look_at, work)

    return Tool(function.__name__, description(docstring), parameters_schema(arguments, docstring), run)


def checked(request: Request, arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The request's arguments by their types.

    Raises:
        ToolError: they are not what the tool takes.
    """
    try:
        return msgspec.structs.asdict(msgspec.convert(request.arguments, arguments))
    except msgspec.ValidationError as error:
        raise ToolError(f"These arguments are not right: {error}") from None


async def _always(_turn: Turn, _request: Request) -> Look:
    return Look(Verdict.ASK, "Every call of this tool is asked about", "tool")
