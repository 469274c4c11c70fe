"""Keeping one server: connected while it is there, tried again while it is not, and never anyone else's trouble."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final

import trio

from placet.actors.agents.mcp.session import CONNECT_S, Described
from placet.actors.agents.tools.asked import Look, run_asked
from placet.actors.agents.tools.tool import Request, Tool, ToolError
from placet.actors.guard import Verdict

if TYPE_CHECKING:
    from placet.actors.agents.mcp.session import Connect, Session
    from placet.actors.agents.model.settings import McpServer
    from placet.actors.agents.turn import Turn

AGAIN_FIRST_S = 1.0
AGAIN_MOST_S = 60.0
"""Between two tries to reach a server that is not there."""

NAME_CHARACTERS = 64
"""What model APIs take as a tool's name, of these characters only."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")

logger: Final = logging.getLogger("placet.mcp")


class Link:
    """One server and what it offers.

    Args:
        server: which.
        connect: how it is reached.

    Attributes:
        tried: set once the first try to reach it has ended, well or not.
    """

    def __init__(self, server: McpServer, connect: Connect) -> None:
        self.tried = trio.Event()
        self._server = server
        self._connect = connect
        self._session: Session | None = None
        self._lost = trio.Event()
        self._calls: set[trio.CancelScope] = set()
        self._names: dict[str, Described] = {}

    @property
    def prefix(self) -> str:
        """How the names of its tools begin."""
        return f"{self._server.name}_"

    def tools(self) -> list[Tool]:
        """What it offers at present; nothing while it is not there."""
        return [] if self._session is None else [self.tool(name) for name in self._names]

    def tool(self, name: str) -> Tool:
        """Its tool of that name, also while it is not there: a call that was journaled must find its way back to its result."""
        described = self._names.get(name, Described(name, "", {}))

        async def run(turn: Turn, request: Request) -> str:
            async def work() -> str:
                with trio.move_on_after(turn.surroundings.limits.terminal_timeout_s):
                    return await self._call(name, request.arguments)
                raise ToolError("The call took too long and was given up.")

            return await run_asked(turn, name, request, self._look, work)

        return Tool(name, described.description, described.parameters, run)

    async def _look(self, _turn: Turn, _request: Request) -> Look:
        return Look(Verdict.ASK, f"It is a tool of the MCP server {self._server.name}", "mcp")

    async def _call(self, name: str, arguments: dict[str, Any]) -> str:
        session, described = self._session, self._names.get(name)
        if session is None:
            raise ToolError(f"The server {self._server.name} is not there now.")
        if described is None:
            raise ToolError(f"The server {self._server.name} has no such tool.")
        with trio.CancelScope() as scope:  # noqa: ASYNC912 - the call is the cancel point
            self._calls.add(scope)
            try:
                return await session.call(described.name, arguments)
            except ConnectionError:
                self._session = None if self._session is session else self._session
                self._lost.set()
            finally:
                self._calls.discard(scope)
        raise ToolError(
            f"The server {self._server.name} went away; what the call had done by then is not known."
        )

    async def run(self) -> None:
        """Keep it until cancelled. Whatever the library raises means that the server is not there, and is logged."""
        pause_s = AGAIN_FIRST_S
        while True:
            try:
                await self._hold()
                pause_s = AGAIN_FIRST_S
            except* trio.Cancelled:
                raise
            except* Exception as group:  # somebody else's server, through somebody else's library
                logger.warning("the MCP server %s is not there: %s", self._server.name, _first(group))
            finally:
                self._drop()
            await trio.sleep(pause_s)
            pause_s = min(2 * pause_s, AGAIN_MOST_S)

    async def _hold(self) -> None:
        """Connect, and return when a call has found the connection closed."""
        with trio.CancelScope(deadline=trio.current_time() + CONNECT_S) as slow:
            async with self._connect(self._server) as session:
                self._names = {self._name(each): each for each in await session.tools()}
                slow.deadline = float("inf")
                self._lost = trio.Event()
                self._session = session
                self.tried.set()
                logger.info("the MCP server %s brings %d tools", self._server.name, len(self._names))
                await self._lost.wait()
        if slow.cancelled_caught:
            logger.warning("the MCP server %s did not answer in %g s", self._server.name, CONNECT_S)

    def _drop(self) -> None:
        self._session = None
        self.tried.set()
        for scope in self._calls:
            scope.cancel()

    def _name(self, described: Described) -> str:
        return (self.prefix + _NOT_IN_NAMES.sub("_", described.name))[:NAME_CHARACTERS]


def _first(error: BaseException) -> str:
    """Of a group of groups the first error that is none, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
