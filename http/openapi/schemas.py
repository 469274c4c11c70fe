"""From Python types to JSON Schema, with the words of their docstrings."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    Schema = dict[str, Any]

_PACKAGE: Final = "placet.http.openapi."
_REFERENCE: Final = "#/components/schemas/{name}"
_ATTRIBUTE: Final = re.compile(r"(\w+): (.+)")


class Schemas:
    """The schemas of some types. Structs and enumerations become components and are referred to; all else stands where it is used.

    Args:
        types: every type that will be asked for.
    """

    def __init__(self, types: Iterable[Any]) -> None:
        self._types = list(types)
        self._schemas, found = msgspec.json.schema_components(self._types, ref_template=_REFERENCE)
        classes = _described_classes()
        self.components: dict[str, Schema] = {
            name: _described(found[name], classes.get(name)) for name in sorted(found)
        }

    def of(self, kind: Any) -> Schema:
        """The schema of a type."""
        return self._schemas[self._types.index(kind)]


def refer(kind: type[msgspec.Struct]) -> Schema:
    """A reference to the component of a struct."""
    return {"$ref": _REFERENCE.format(name=kind.__name__)}


def _described_classes() -> dict[str, type]:
    """Every struct of this package by its name."""
    found: dict[str, type] = {}
    waiting: list[type] = [msgspec.Struct]
    while waiting:
        kinds: list[type] = waiting.pop().__subclasses__()
        waiting += kinds
        found |= {kind.__name__: kind for kind in kinds if kind.__module__.startswith(_PACKAGE)}
    return found


def _described(schema: Schema, kind: type | None) -> Schema:
    """The schema of a struct, with what its docstring and those of its bases say of each attribute put there."""
    if kind is None:
        return schema
    words: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        words |= _words(_parts(base)[1])
    properties = {name: _with_words(item, words.get(name)) for name, item in schema["properties"].items()}
    return {**schema, "description": _parts(kind)[0], "properties": properties}


def _parts(kind: type) -> tuple[str, str]:
    """What a docstring says of the whole, and of the attributes."""
    text, _, attributes = cleandoc(kind.__doc__ or "").partition("\nAttributes:\n")
    return text.strip(), attributes


def _with_words(schema: Schema, words: str | None) -> Schema:
    return schema if words is None else {**schema, "description": words}


def _words(attributes: str) -> dict[str, str]:
    """What is said of each attribute, its lines joined."""
    entries = re.split(r"\n(?=\w)", cleandoc(attributes))
    matches = (_ATTRIBUTE.fullmatch(" ".join(entry.split())) for entry in entries)
    return {match[1]: match[2][:1].upper() + match[2][1:] for match in matches if match}
