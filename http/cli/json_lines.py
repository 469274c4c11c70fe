"""A stream for programs: each event's object on a line, and nothing asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.http.cli.dialogue import ENDS, Interrupted
from placet.http.cli.exits import Exit
from placet.http.cli.text import Said
from placet.http.client import Arrived
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from placet.http.cli.dialogue import Effect, Happening


class JsonLines:
    """Stands where a `Dialogue` stands for people.

    Attributes:
        ended: how it ended, `None` while it goes on.
    """

    def __init__(self) -> None:
        self.ended: Exit | None = None

    def on(self, happening: Happening, now: float, width: int) -> list[Effect]:  # noqa: ARG002
        """The event's own object as a line; an interruption ends it, and leaves what is followed as it is."""
        if isinstance(happening, Interrupted):
            self.ended = Exit.LEFT
        if not isinstance(happening, Arrived):
            return []
        self.ended = ENDS.get(happening.name)
        return [Said(dump_ascii(happening.data).decode())]

    def footer(self, now: float, width: int) -> str | None:  # noqa: ARG002
        """There is none."""
        return None
