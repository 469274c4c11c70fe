"""What a file holds, as one word that changes when the file does."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable

ABSENT = "absent"
"""The word for a file that is not there."""

HASH_BYTES = 64 * 1024 * 1024
"""The largest file whose content is read: about a tenth of a second. Scripts are smaller by far."""

_PIECE_BYTES = 1024 * 1024


async def fingerprints(paths: Iterable[str], *, directory: str) -> dict[str, str]:
    """Say what each file holds, read in a thread. A checkpoint only if there are paths; cancellation leaves nothing behind.

    Args:
        paths: absolute, or relative to `directory`.
        directory: an absolute directory.

    Returns:
        By path as given: the content's sha256 in hex; for a file larger than `HASH_BYTES` its size, time and inode; `absent`;
        or what else stands there. A link counts as the file that it leads to.
    """
    wanted = tuple(paths)
    if not wanted:
        return {}

    def read() -> dict[str, str]:
        return {path: _fingerprint(os.path.join(directory, path)) for path in wanted}

    # A limiter of its own: turns run at most so many commands at once, and trio's shared one may be full of strangers.
    return await trio.to_thread.run_sync(read, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1))


def _fingerprint(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO would block for ever
        try:
            return _content(descriptor)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ValueError) as error:
        return f"unreadable: {type(error).__name__}"


def _content(descriptor: int) -> str:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return f"not a file: {stat.filemode(status.st_mode)[0]}"
    if status.st_size > HASH_BYTES:
        return f"large: {status.st_size} {status.st_mtime_ns} {status.st_ino}"
    content = hashlib.sha256()
    for _ in range(
        HASH_BYTES // _PIECE_BYTES + 1
    ):  # it may grow while it is read, or lie about its size as /proc does
        piece = os.read(descriptor, _PIECE_BYTES)
        if not piece:
            break
        content.update(piece)
    return content.hexdigest()
