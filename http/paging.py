"""Lists, as they are answered."""

from __future__ import annotations

from typing import Any


def listing(data: list[Any], *, has_more: bool, **more: Any) -> dict[str, Any]:
    """A list on the wire.

    Args:
        data: the page.
        has_more: whether the list goes on after it.
        more: further fields.
    """
    return {"object": "list", "data": data, **more, "has_more": has_more}
