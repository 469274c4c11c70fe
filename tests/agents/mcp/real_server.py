"""A server of the Model Context Protocol for the tests: over its standard streams, or at the port that it is given."""

from __future__ import annotations

import os
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("real")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("inner workings")


@server.tool()
def environment() -> str:
    """Say what the environment holds."""
    return " ".join(sorted(os.environ))


@server.tool()
def die() -> str:
    """End the server."""
    os._exit(3)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
