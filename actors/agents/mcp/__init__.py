"""Tools that servers of the Model Context Protocol bring: `session` speaks to one, `link` keeps it, `bench` is all of them."""

from placet.actors.agents.mcp.bench import Bench

__all__ = ["Bench"]
