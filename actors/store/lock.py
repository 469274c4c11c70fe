"""The lock file: one server per data directory."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from pathlib import Path


class DirectoryLock:
    """A lock that the kernel frees when the process ends, however it ends. The file itself stays: removing it would race.

    Args:
        data_dir: an existing directory.

    Raises:
        StartRefused: another process holds it, or the file cannot be made.
    """

    def __init__(self, data_dir: Path) -> None:
        path = data_dir / "lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StartRefused(f"The lock file in {data_dir} cannot be opened: {error.strerror}.") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._file, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._file)
            raise StartRefused(
                f"Another Placet server (pid {holder}) uses {data_dir}. Stop it or choose another --data-dir."
            ) from error
        except OSError as error:
            os.close(self._file)
            raise StartRefused(
                f"{data_dir} lies on a file system without locks: {error.strerror}. Choose another --data-dir."
            ) from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let the next server in."""
        os.ftruncate(self._file, 0)
        os.close(self._file)
