"""Joins what is said into the text of one screen: where lines begin and end, and what stands before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.http.cli.text import Said


class Flow:
    """The text so far, as far as it matters for what comes next.

    Attributes:
        at_start: whether the next character begins a line.
    """

    def __init__(self) -> None:
        self.at_start = True
        self._kind: object = None

    def add(self, said: Said) -> tuple[str, str]:
        """What is to be written: what ends the text before it, and its own text."""
        kind = (said.tone, said.indent) if said.flows else None
        before = "" if self.at_start or (kind is not None and kind == self._kind) else "\n"
        text = said.text if said.flows else f"{said.text}\n"
        if said.indent:
            text = _indented(text, said.indent, first=self.at_start or bool(before))
        self._kind, self.at_start = kind, text.endswith("\n")
        return before, text

    def end_line(self) -> str:
        """What makes the next character begin a line."""
        ending, self.at_start = "" if self.at_start else "\n", True
        return ending


def _indented(text: str, indent: str, *, first: bool) -> str:
    lines = text.split("\n")
    return "\n".join(
        f"{indent}{line}" if line and (number or first) else line for number, line in enumerate(lines)
    )
