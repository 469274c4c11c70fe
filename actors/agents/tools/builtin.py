"""The tools that come with Placet."""

from __future__ import annotations

from placet.actors.agents.tools.asking import ask_user
from placet.actors.agents.tools.files import edit_file, read_file, write_file
from placet.actors.agents.tools.looking import list_files, search
from placet.actors.agents.tools.shell import terminal

BUILT_IN = (terminal, read_file, write_file, edit_file, list_files, search, ask_user)
