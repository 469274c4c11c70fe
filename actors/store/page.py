"""One page of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Cursor = TypeVar("Cursor")


class Page(msgspec.Struct, Generic[Item, Cursor], frozen=True):
    """Some items of a list and where the next ones begin.

    Attributes:
        items: in the list's order.
        has_more: whether the list goes on.
        cursor: what to ask for the next page with, `None` if this one is empty.
    """

    items: tuple[Item, ...]
    has_more: bool
    cursor: Cursor | None


def page(found: Sequence[Item], limit: int, cursor_of: Callable[[Item], Cursor]) -> Page[Item, Cursor]:
    """The page out of at most `limit + 1` found items; the one too many says that there is more."""
    items = tuple(found[:limit])
    return Page(items, len(found) > limit, cursor_of(items[-1]) if items else None)
