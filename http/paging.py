"""Lists: which page is asked for, and how it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet.actors.protocol.errors import InvalidInput

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

PAGE_DEFAULT: Final = 50
PAGE_MAX: Final = 200
"""Items in one page; each may hold a long text."""

_DIGITS_MAX: Final = 9


def limit_of(args: MultiDict[str, str], *, most: int = PAGE_MAX, default: int = PAGE_DEFAULT) -> int:
    """How many items a request wants.

    Raises:
        InvalidInput: `invalid_pagination`: no number from 1 to `most`.
    """
    return number_of(args, "limit", least=1, most=most, default=default)


def number_of(args: MultiDict[str, str], name: str, *, least: int, most: int, default: int) -> int:
    """A whole number in the query.

    Raises:
        InvalidInput: `invalid_pagination`: no number from `least` to `most`.
    """
    word = args.get(name)
    if word is None:
        return default
    if word.isascii() and word.isdigit() and len(word) <= _DIGITS_MAX and least <= int(word) <= most:
        return int(word)
    raise InvalidInput(f"`{name}` is a number from {least} to {most}.", code="invalid_pagination", param=name)


def listing(data: list[Any], *, has_more: bool, **more: Any) -> dict[str, Any]:
    """A list on the wire.

    Args:
        data: the page.
        has_more: whether the list goes on after it.
        more: further fields.
    """
    return {"object": "list", "data": data, **more, "has_more": has_more}
