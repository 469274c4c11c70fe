"""What the commands print when they do not follow anything: tables for people, one object for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from placet.http.cli.terminal import columns
from placet.http.cli.text import cells, cut, escaped, one_line
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = "  "
_WIDE = 200
_LAST_LEAST = 8


def print_json(value: Any) -> None:
    """Print one JSON object on one line, in ASCII."""
    click.echo(dump_ascii(value).decode())


def print_text(text: str, *, err: bool = False) -> None:
    """Print lines in which nothing acts on the terminal; with `err` on standard error."""
    click.echo(escaped(text), err=err)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], nothing: str) -> None:
    """Print a table. The last column takes what is left of the width; every other is as wide as its widest cell.

    Args:
        heads: a word for each column.
        rows: the cells, as they come from the server.
        nothing: what to say instead of a table without rows.
    """
    if not rows:
        print_text(nothing)
        return
    for line in table(heads, rows, _width()):
        click.echo(line)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The lines of a table, escaped, of at most `width` cells each."""
    lines = [list(heads), *([one_line(cell, _WIDE) for cell in row] for row in rows)]
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    widths[-1] = max(_LAST_LEAST, width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1))
    return [
        _GAP.join(_padded(cut(cell, size), size) for cell, size in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _padded(cell: str, size: int) -> str:
    return cell + " " * (size - cells(cell))


def _width() -> int:
    return columns(sys.stdout) if sys.stdout.isatty() else _WIDE
