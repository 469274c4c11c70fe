"""All tools that an agent has, its own and those that servers bring."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from placet.actors.agents.mcp.link import Link
from placet.actors.agents.mcp.session import connect, require_library

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping

    from placet.actors.agents.mcp.session import Connect
    from placet.actors.agents.model.settings import McpServer
    from placet.actors.agents.tools.tool import Tool

START_S = 10.0
"""How long the start of the server waits for others. Those that are slower bring their tools later."""


class Bench:
    """What can be called, at present.

    Args:
        own: the agent's own tools by name.
        servers: who brings more.
        reach: how a server is reached, if not by the protocol's library.

    Raises:
        StartRefused: there are servers and the library is not installed.
    """

    def __init__(
        self, own: Mapping[str, Tool], servers: Iterable[McpServer], reach: Connect | None = None
    ) -> None:
        self._own = own
        self._links = tuple(Link(server, reach or connect) for server in servers)
        if self._links and reach is None:
            require_library()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None, None]:
        """Keep the servers while the block runs. One that cannot be reached keeps nobody from starting."""
        async with trio.open_nursery() as nursery:
            for link in self._links:
                nursery.start_soon(link.run)
            with trio.move_on_after(START_S):
                for link in self._links:
                    await link.tried.wait()
            yield
            nursery.cancel_scope.cancel()

    def offered(self) -> list[Tool]:
        """What a model is told of; where two have one name, the first."""
        found = dict(self._own)
        for link in self._links:
            for tool in link.tools():
                found.setdefault(tool.name, tool)
        return list(found.values())

    def find(self, name: str) -> Tool | None:
        """The tool of that name, whether it is offered just now or its server is away."""
        if name in self._own:
            return self._own[name]
        links = [link for link in self._links if name.startswith(link.prefix)]
        return max(links, key=lambda link: len(link.prefix)).tool(name) if links else None
