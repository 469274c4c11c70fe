"""One page of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")


class Page(msgspec.Struct, Generic[Item], frozen=True):
    """Some items of a list. The next page is asked for with the id of the last one.

    Attributes:
        items: in the list's order.
        has_more: whether the list goes on.
    """

    items: tuple[Item, ...]
    has_more: bool


def page(found: Sequence[Item], limit: int) -> Page[Item]:
    """The page out of at most `limit + 1` found items; the one too many says that there is more."""
    return Page(tuple(found[:limit]), len(found) > limit)
