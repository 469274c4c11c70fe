"""Single fields of a request, checked to be what they must be."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

import msgspec

from placet.actors.protocol.errors import InvalidInput

_Choice = TypeVar("_Choice", bound=Enum)


def check_field(body: dict[str, Any], name: str, kind: Any) -> Any:
    """A field of a body, checked to be of a type; `None` if it is missing or null.

    Args:
        body: the JSON object.
        name: the field.
        kind: the type, with bounds as `msgspec.Meta`.

    Raises:
        InvalidInput: `invalid_params`; `param` names the field.
    """
    value = body.get(name)
    if value is None:
        return None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"`{name}`: {error}.", param=name) from None


def choice_of(kind: type[_Choice], word: object, param: str) -> _Choice | None:
    """The member of an enumeration that a word stands for; `None` for no word.

    Args:
        kind: the enumeration; its values are the words.
        word: the value of a field or header.
        param: its name.

    Raises:
        InvalidInput: `invalid_params`; the message lists the words.
    """
    if word is None:
        return None
    for member in kind:
        if member.value == word:
            return member
    words = ", ".join(str(member.value) for member in kind)
    raise InvalidInput(f"`{param}` is one of {words}.", param=param)
