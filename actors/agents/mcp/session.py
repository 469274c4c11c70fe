"""Speaking to one server, by the protocol's own library, which is only imported if a server is named in the settings."""

from __future__ import annotations

import importlib
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import httpx2
import msgspec

from placet.actors.agents.tools.tool import ToolError
from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractAsyncContextManager

    from placet.actors.agents.model.settings import McpServer

PAGES_MAX = 20
"""Of a list of tools: a server whose list never ends is broken."""

CONNECT_S = 30.0
"""Until a server that is started, or found, has said what it is."""

SILENCE_S = 300.0
"""Between two signs of life of a server at a URL."""

_CLOSED = -32000
"""The protocol library's code for a connection that is gone."""


class Described(msgspec.Struct, frozen=True):
    """A tool as its server describes it."""

    name: str
    description: str
    parameters: dict[str, Any]


class Session(Protocol):
    """An open connection to a server."""

    async def tools(self) -> tuple[Described, ...]:
        """All its tools."""
        ...

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The text that a tool answers.

        Raises:
            ToolError: the tool says that it failed.
            ConnectionError: the server is gone.
            Exception: whatever else the library raises.
        """
        ...


class Connect(Protocol):
    """How a server is reached."""

    def __call__(self, server: McpServer, /) -> AbstractAsyncContextManager[Session]: ...


def require_library() -> None:
    """Called before the server starts with an `[[mcp]]` in its settings.

    Raises:
        StartRefused: the library is not installed.
    """
    try:
        importlib.import_module("mcp")
    except ModuleNotFoundError:
        raise StartRefused(
            "The setting mcp needs the protocol's library: pip install 'placet[mcp]'.", param="mcp"
        ) from None


@asynccontextmanager
async def connect(server: McpServer) -> AsyncGenerator[Session, None]:
    """A connection to the server, as long as the block runs. What the library raises, and groups of it, comes out of it."""
    library = importlib.import_module("mcp.client.client")
    async with AsyncExitStack() as stack:
        target = _process(server) if server.url is None else await _url(server, stack)
        yield _LibrarySession(await stack.enter_async_context(library.Client(target)))


def _process(server: McpServer) -> Any:
    stdio = importlib.import_module("mcp.client.stdio")
    program, *arguments = server.command
    return stdio.StdioServerParameters(command=program, args=arguments, env=server.env)


async def _url(server: McpServer, stack: AsyncExitStack) -> Any:
    http = importlib.import_module("mcp.client.streamable_http")
    timeout = httpx2.Timeout(SILENCE_S, connect=CONNECT_S)
    client = await stack.enter_async_context(httpx2.AsyncClient(headers=server.headers, timeout=timeout))
    return http.streamable_http_client(server.url, http_client=client)


class _LibrarySession:
    """A `Session` over the library's client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._error = importlib.import_module("mcp.shared.exceptions").MCPError

    async def tools(self) -> tuple[Described, ...]:
        found: list[Described] = []
        cursor: str | None = None
        for _ in range(PAGES_MAX):
            page = await self._client.list_tools(cursor=cursor)
            found += (Described(each.name, each.description or "", each.input_schema) for each in page.tools)
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(found)

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            result = await self._client.call_tool(name, arguments)
        except self._error as error:
            if error.code == _CLOSED:
                raise ConnectionError("the connection is closed") from error
            raise ToolError(f"The server refused the call: {error}") from error
        text = "\n".join(map(_text, result.content))
        if result.is_error:
            raise ToolError(text or "The tool failed.")
        if not text and result.structured_content is not None:
            return msgspec.json.encode(result.structured_content).decode()
        return text


def _text(content: Any) -> str:
    """A part of a result as text; what is none is named."""
    text = getattr(content, "text", None)
    return text if isinstance(text, str) else f"[{content.type}]"
