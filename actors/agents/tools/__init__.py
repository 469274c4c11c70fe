"""Tools that a model may call, and how to make one.

A tool is a typed async function with the decorator `tool`: its schema comes from the annotations, its description from the
docstring. A module of tools is named in the setting `tools`.
"""

from placet.actors.agents.tools.define import tool
from placet.actors.agents.tools.tool import Request, Tool, ToolError

__all__ = ["Request", "Tool", "ToolError", "tool"]
