"""The numbered behaviours of the contract: for each, the test that shows it, or why Placet is without it.

The table is `behaviours.jsonl`, under the contract's own numbers; what stands before 13 is about stores and discovery, and is not
counted here. `docs/behaviours.md` is the table for readers, and must say the same.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
FIRST, LAST = 13, 85


class Behaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row.

    Attributes:
        number: in the contract.
        what: it is.
        test: that shows it, as pytest names it; empty if it is dropped.
        dropped: why Placet is without it; empty if it is kept.
    """

    number: int
    what: str
    test: str = ""
    dropped: str = ""


TABLE = msgspec.json.decode(
    b"[" + b",".join(Path(__file__).with_name("behaviours.jsonl").read_bytes().splitlines()) + b"]",
    type=list[Behaviour],
)


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of a file's tests."""
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def page() -> str:
    """The table for readers."""
    lines = ["# Behaviours of the contract", "", "| No. | Behaviour | Its test, or why it is dropped |"]
    lines.append("|---|---|---|")
    for row in TABLE:
        end = f"`{row.test}`" if row.test else f"Dropped. {row.dropped}"
        lines.append(f"| {row.number} | {row.what} | {end} |")
    return "\n".join(lines) + "\n"


def test_every_number_has_one_row() -> None:
    assert [row.number for row in TABLE] == list(range(FIRST, LAST + 1))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.number))
def test_what_is_kept_has_a_test_and_what_is_dropped_a_reason(row: Behaviour) -> None:
    assert bool(row.test) != bool(row.dropped)
    if row.test:
        file, _, name = row.test.partition("::")
        assert name in names_in(file)
    else:
        assert row.dropped.endswith(".")


def test_the_page_says_the_same() -> None:
    assert (ROOT / "docs" / "behaviours.md").read_text() == page(), "write what `page` returns"
