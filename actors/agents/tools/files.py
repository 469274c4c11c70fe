"""The tools `read_file`, `write_file` and `edit_file`."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import trio

from placet.actors.agents.tools.define import tool
from placet.actors.agents.tools.places import place_of, reading, writing
from placet.actors.agents.tools.tool import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.agents.turn import Turn

T = TypeVar("T")

FILE_BYTES = 8 * 1024 * 1024
"""The largest file that is read or edited. A model reads a hundredth of that."""

_Line = Annotated[int, msgspec.Meta(ge=1)]


@tool(asks=reading)
async def read_file(turn: Turn, path: str, first_line: _Line = 1, lines: _Line = 1000) -> str:
    """Read a text file.

    Args:
        path: The file, absolute or relative to the workspace.
        first_line: The line to begin with, counted from 1.
        lines: How many lines to read.
    """
    text = await in_thread(_read, place_of(turn.surroundings, path), only_reads=True)
    found = text.splitlines(keepends=True)
    wanted = found[first_line - 1 : first_line - 1 + lines]
    rest = len(found) - (first_line - 1) - len(wanted)
    return "".join(wanted) + (f"\n[{rest} more lines]" if rest > 0 else "")


@tool(asks=writing)
async def write_file(turn: Turn, path: str, content: str) -> str:
    """Write a whole text file, a new one or in place of an old one. Missing directories are made.

    Args:
        path: The file, absolute or relative to the workspace.
        content: All that it will hold.
    """
    size = await in_thread(_write, place_of(turn.surroundings, path), content)
    return f"{size} bytes are written."


@tool(asks=writing)
async def edit_file(turn: Turn, path: str, old: str, new: str, everywhere: bool = False) -> str:
    """Replace a piece of a text file. The old piece must be there exactly once, unless it is to be replaced everywhere.

    Args:
        path: The file, absolute or relative to the workspace.
        old: What to replace, exactly as it stands there, with all its white space.
        new: What to put in its place.
        everywhere: Whether to replace each occurrence.
    """
    place = place_of(turn.surroundings, path)
    return await in_thread(_edit, place, old, new, everywhere)


def _edit(place: str, old: str, new: str, everywhere: bool) -> str:
    text = _read(place)
    count = text.count(old) if old else 0
    if count == 0:
        raise ToolError(
            "The old piece is not in the file. Read the file, and give the piece exactly as it stands there."
        )
    if count > 1 and not everywhere:
        raise ToolError(f"The old piece is in the file {count} times. Give more of what stands around it.")
    _write(place, text.replace(old, new))
    return f"{count} replaced."


async def in_thread(function: Callable[..., T], *arguments: Any, only_reads: bool = False) -> T:
    """Run what waits for a disk. Always a checkpoint.

    Cancelled, it leaves alone a thread that only reads, and waits for one that writes.

    Raises:
        ToolError: in place of an `OSError`, in words.
    """
    try:
        # A limiter of its own: trio's shared one may be full of strangers.
        limiter = trio.CapacityLimiter(1)
        work = partial(function, *arguments)
        return await trio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=only_reads)
    except OSError as error:
        raise ToolError(
            f"{error.strerror or type(error).__name__}: {error.filename or ''}".rstrip(": ")
        ) from None


def _read(place: str) -> str:
    descriptor = os.open(
        place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    )  # a FIFO would block for ever
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ToolError("This is no file.")
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise ToolError(f"The file has more than {FILE_BYTES} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolError("The file is no text in UTF-8.") from None


def _write(place: str, content: str) -> int:
    """Put the file in place whole: a crash leaves the old one or the new one, never half of either."""
    folder = os.path.dirname(place)
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(place):
        raise IsADirectoryError(errno.EISDIR, "This is a directory")
    data = content.encode(errors="replace")
    descriptor, draft = tempfile.mkstemp(dir=folder, prefix=".placet-")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(descriptor, _mode(place))
        os.replace(draft, place)
    except BaseException:
        os.unlink(draft)
        raise
    return len(data)


def _mode(place: str) -> int:
    """The mode of the file that is replaced, else what a new file gets."""
    try:
        return stat.S_IMODE(os.stat(place).st_mode)
    except FileNotFoundError:
        return 0o644
