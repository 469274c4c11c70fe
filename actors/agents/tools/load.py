"""From the setting `tools` to the tools."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from placet.actors.agents.loading import import_module
from placet.actors.agents.tools.builtin import BUILT_IN
from placet.actors.agents.tools.tool import Tool
from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from collections.abc import Iterable


def load_tools(words: Iterable[str], more: Iterable[Tool] = ()) -> dict[str, Tool]:
    """The tools by name.

    Args:
        words: `builtin` for those that come with Placet, else modules; of a module every tool in it counts.
        more: tools that are there already.

    Raises:
        StartRefused: a module cannot be imported or has no tool, or two tools have one name.
    """
    found: dict[str, Tool] = {}
    for tool in chain(*(BUILT_IN if word == "builtin" else _of_module(word) for word in words), more):
        if tool.name in found:
            raise StartRefused(f"There are two tools with the name {tool.name!r}.", param="tools")
        found[tool.name] = tool
    return found


def _of_module(name: str) -> tuple[Tool, ...]:
    tools = tuple(value for value in vars(import_module(name)).values() if isinstance(value, Tool))
    if not tools:
        raise StartRefused(
            f"The module {name!r} has no tool; make one with the decorator `tool`.", param="tools"
        )
    return tools
