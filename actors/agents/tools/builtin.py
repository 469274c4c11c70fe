"""The tools that come with Placet."""

from __future__ import annotations

from placet.actors.agents.tools.shell import terminal

BUILT_IN = (terminal,)
