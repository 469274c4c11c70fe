"""The tools `list_files` and `search`."""

from __future__ import annotations

import fnmatch
import os
from typing import TYPE_CHECKING, Annotated

import msgspec

from placet.actors.agents.tools.define import tool
from placet.actors.agents.tools.files import in_thread
from placet.actors.agents.tools.places import may_read, place_of, reading
from placet.actors.agents.tools.tool import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placet.actors.agents.turn import Surroundings, Turn

ENTRIES_MAX = 1000
"""Of a list, or of a search's hits: more is not read by anyone."""

FILES_MAX = 20_000
"""Files that one search opens."""

SEARCHED_BYTES = 1024 * 1024
"""Of each file that is searched; larger ones are data, not text."""

LINE_CHARACTERS = 300
"""Of each hit."""

SKIPPED = frozenset({".git", ".hg", "node_modules", "__pycache__", ".venv"})
"""Directories that hold no work of anyone."""

DEPTH_MAX = 20
"""Levels of directories; deeper ones are nobody's by hand."""

_Depth = Annotated[int, msgspec.Meta(ge=1, le=DEPTH_MAX)]


@tool(asks=reading)
async def list_files(turn: Turn, path: str = ".", pattern: str = "*", depth: _Depth = 3) -> str:
    """List the files and directories below a directory, one a line. Directories end with a slash.

    Args:
        path: The directory, absolute or relative to the workspace.
        pattern: What the names must be like, such as `*.py`.
        depth: How many levels to go down.
    """
    place = place_of(turn.surroundings, path)
    return await in_thread(_list, turn.surroundings, place, pattern, depth, only_reads=True)


@tool(asks=reading)
async def search(
    turn: Turn, text: str, path: str = ".", pattern: str = "*", ignore_case: bool = False
) -> str:
    """Search for a text in files. Each hit is a line: file, line number, line. For regular expressions use grep in the terminal.

    Args:
        text: What to search for, literally.
        path: A file, or a directory whose files are searched; absolute or relative to the workspace.
        pattern: What the files' names must be like, such as `*.py`.
        ignore_case: Whether capitals do not matter.
    """
    if not text:
        raise ToolError("There is nothing to search for.")
    wanted = text.casefold() if ignore_case else text
    place = place_of(turn.surroundings, path)
    return await in_thread(_search, turn.surroundings, place, wanted, pattern, ignore_case, only_reads=True)


def _list(surroundings: Surroundings, place: str, pattern: str, depth: int) -> str:
    if not os.path.isdir(place):
        raise ToolError("There is no such directory.")
    found: list[str] = []
    for entry in _walk(surroundings, place, depth):
        if fnmatch.fnmatch(entry.name, pattern):
            if len(found) == ENTRIES_MAX:
                found.append(f"[more than {ENTRIES_MAX}; ask for less]")
                break
            found.append(
                os.path.relpath(entry.path, place) + ("/" if entry.is_dir(follow_symlinks=False) else "")
            )
    return "\n".join(found) or "Nothing."


def _walk(surroundings: Surroundings, place: str, depth: int) -> Iterator[os.DirEntry[str]]:
    """What lies below a directory, links not followed, without what may not be read."""
    try:
        with os.scandir(place) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError:  # not ours to read, or gone
        return
    for entry in inside:
        if not may_read(surroundings, entry.path):
            continue
        yield entry
        if depth > 1 and entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED:
            yield from _walk(surroundings, entry.path, depth - 1)


def _search(surroundings: Surroundings, place: str, wanted: str, pattern: str, ignore_case: bool) -> str:
    hits: list[str] = []
    for number, path in enumerate(_files(surroundings, place, pattern)):
        if number == FILES_MAX:
            hits.append(f"[more than {FILES_MAX} files; search in fewer]")
            break
        name = os.path.relpath(path, surroundings.workspace) if path != place else os.path.basename(path)
        hits += _hits(path, name, wanted, ignore_case)
        if len(hits) > ENTRIES_MAX:
            hits[ENTRIES_MAX:] = [f"[more than {ENTRIES_MAX} hits; search for more of the text]"]
            break
    return "\n".join(hits) or "Nothing."


def _files(surroundings: Surroundings, place: str, pattern: str) -> Iterator[str]:
    if os.path.isfile(place):
        yield place
    for entry in _walk(surroundings, place, DEPTH_MAX):
        if entry.is_file(follow_symlinks=False) and fnmatch.fnmatch(entry.name, pattern):
            yield entry.path


def _hits(path: str, name: str, wanted: str, ignore_case: bool) -> Iterator[str]:
    try:
        with open(path, "rb") as file:
            content = file.read(SEARCHED_BYTES + 1)
    except OSError:
        return
    if len(content) > SEARCHED_BYTES or b"\0" in content:
        return
    for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
        if wanted in (line.casefold() if ignore_case else line):
            yield f"{name}:{number}: {line.strip()[:LINE_CHARACTERS]}"
