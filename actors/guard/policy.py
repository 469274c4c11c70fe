"""What an operator decides about the guard, read once."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from placet.actors.guard.rules import Rule, parse_rule
from placet.actors.protocol.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NO_HOME = "/~"  # an absolute directory that no machine has: paths under it are still the home's


class Policy:
    """The operator's rules and Placet's own places. Immutable; build it once and share it.

    Args:
        deny: rules of what is refused without a choice.
        ask: rules of what a person is asked about although it is known to be harmless.
        allow: rules of what runs although it is not known to be harmless.
        protected: absolute paths that no command may touch, such as the data directory.
        home: the home directory of the user that commands run as.
        resolve: says where an absolute path really leads, like `os.path.realpath`; without it links are taken at their name.

    Raises:
        InvalidInput: a rule cannot be read (the message names it), or a path is not absolute.
    """

    def __init__(
        self,
        deny: Iterable[str] = (),
        ask: Iterable[str] = (),
        allow: Iterable[str] = (),
        protected: Iterable[str] = (),
        home: str = NO_HOME,
        resolve: Callable[[str], str] | None = None,
    ) -> None:
        self.deny: tuple[Rule, ...] = tuple(parse_rule(text, "deny") for text in deny)
        self.ask: tuple[Rule, ...] = tuple(parse_rule(text, "ask") for text in ask)
        self.allow: tuple[Rule, ...] = tuple(parse_rule(text, "allow") for text in allow)
        self.protected: tuple[str, ...] = tuple(_absolute(path) for path in protected)
        self.home = _absolute(home)
        self.resolve = resolve


def _absolute(path: str) -> str:
    if not path.startswith("/"):
        raise InvalidInput(f"the path {path!r} is not absolute", param="guard")
    return "/" + posixpath.normpath(path).lstrip("/")
