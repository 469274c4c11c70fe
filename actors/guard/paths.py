"""Where writing matters, what must not be read outward, and Placet's own places.

Paths are judged by name: against the directory that the command runs in, `..` resolved. Making a link is judged by what it
points to. Links that are there already are followed only if the caller says how (`resolve`); nothing here touches the disk.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from typing import TYPE_CHECKING

from placet.actors.guard.tables.places import (
    ALWAYS_NAMING,
    CRON,
    DEVICES,
    PROGRAM_NAMING,
    SECRET,
    SHADOWING,
    STARTUP,
    SYSTEM,
    TEMPORARY,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LENGTH_LIMIT = 4_096  # Linux opens no longer path
_GLOB = re.compile(r"[*?\[]")


def absolute(path: str, directory: str) -> str:
    """A path's absolute form, `..` and `.` resolved by name.

    Args:
        path: the path; `~` has been expanded already.
        directory: the absolute directory that it is relative to.
    """
    joined = posixpath.normpath(posixpath.join(directory or "/", path))
    return "/" + joined.lstrip("/")


def inside(path: str, directory: str) -> bool:
    """Whether an absolute path is a directory or lies in it.

    Args:
        path: the path.
        directory: the directory.
    """
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _matches(component: str, names: Iterable[str]) -> str | None:
    """The first of the names that a component, maybe with a pattern, may stand for."""
    lowered = component.lower()  # some file systems do not tell .GIT from .git
    if not _GLOB.search(component):
        return lowered if lowered in names else None
    for name in sorted(names):
        if fnmatch.fnmatchcase(name, lowered) and (name[0] != "." or lowered[0] in ".["):
            return name
    return None


class Places:
    """The places that matter to one policy.

    Args:
        home: the home directory.
        workspace: the directory in which the command starts.
        protected: Placet's own places, which nothing may touch.
        resolve: where a path really leads (links followed), as the caller knows it; None if only names are to be judged.
    """

    def __init__(
        self,
        home: str,
        workspace: str,
        protected: tuple[str, ...] = (),
        resolve: Callable[[str], str] | None = None,
    ) -> None:
        self.home = home
        self.workspace = workspace
        self.protected = protected
        self._resolve = resolve
        self._real: Places | None = None
        if resolve is not None:
            self._real = Places(resolve(home), resolve(workspace), tuple(map(resolve, protected)))

    def written(self, path: str) -> str | None:
        """The reason's code why writing an absolute path is not harmless, None if it is.

        Args:
            path: the path, in which patterns may stand.
        """
        if path in DEVICES or path.startswith("/dev/fd/"):
            return None
        if len(path) > LENGTH_LIMIT:
            return "outside"
        if self.is_protected(path):
            return "protected"
        return self._by_name(path) or self._by_link(path)

    def _by_name(self, path: str) -> str | None:
        if SYSTEM.match(path):
            return _system(path)
        if code := self._at_home(path):
            return code
        if inside(path, self.workspace) and self.workspace != "/":
            below = path[len(self.workspace) :].lstrip("/")
            return "program_naming" if SHADOWING.fullmatch(below) else _naming(path, below)
        if any(path != place and inside(path, place) for place in TEMPORARY):
            return _naming(path, path)
        return "outside"

    def _by_link(self, path: str) -> str | None:
        real = self._real_path(path)
        if real is None or self._real is None:
            return None
        return self._real.written(real) if real else "outside"

    def _real_path(self, path: str) -> str | None:
        """Where a path leads if that is elsewhere, None if it is what it seems, empty if nobody can say."""
        if self._resolve is None:
            return None
        try:
            real = self._resolve(path)
        except (OSError, ValueError):  # such as a loop of links, or a name that no file can have
            return ""
        return None if real == path else real

    def _at_home(self, path: str) -> str | None:
        """Whether a path is one of the home directory's start-up files, unless the workspace lies in that very place."""
        if not inside(path, self.home) or path == self.home:
            return None
        first = path[len(self.home) :].strip("/").split("/")[0]
        if inside(self.workspace, f"{self.home}/{first}"):
            return None
        return "startup_file" if _matches(first, STARTUP) else None

    def is_protected(self, path: str) -> bool:
        """Whether a path, in which patterns may stand, may lie in one of Placet's own places.

        Args:
            path: the absolute path.
        """
        return any(_may_lie_in(path, place) for place in self.protected)

    def holds_protected(self, path: str) -> bool:
        """Whether one of Placet's own places lies below a path.

        Args:
            path: the absolute path.
        """
        return any(inside(place, path) for place in self.protected)

    def holds_home(self, path: str) -> bool:
        """Whether the home directory, with the keys in it, lies below a path that is not the workspace.

        Args:
            path: the absolute path.
        """
        return inside(self.home, path) and not inside(path, self.workspace)

    def read(self, path: str) -> str | None:
        """The reason's code why reading an absolute path is not harmless, None if it is.

        Args:
            path: the path, in which patterns may stand.
        """
        if len(path) > LENGTH_LIMIT:
            return None
        if self.is_protected(path):
            return "protected"
        if path.startswith(("/dev/tcp/", "/dev/udp/")):
            return "outward"
        if SECRET.search(path):
            return "secret"
        real = self._real_path(path)
        return None if real is None or self._real is None else self._real.read(real)


def _may_lie_in(path: str, place: str) -> bool:
    parts, wanted = path.split("/"), place.split("/")
    if len(parts) < len(wanted):
        return False
    return all(fnmatch.fnmatchcase(want, part) for part, want in zip(parts, wanted, strict=False))


def _naming(path: str, below: str) -> str | None:
    """Whether one of a path's components is a file or directory that makes other programs run programs."""
    if not ALWAYS_NAMING.isdisjoint(path.lower().split("/")):
        return "program_naming"
    return (
        "program_naming" if any(_matches(part, PROGRAM_NAMING) for part in below.split("/") if part) else None
    )


def _system(path: str) -> str:
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return "outward"
    return "cron" if CRON.match(path) else "system_path"
