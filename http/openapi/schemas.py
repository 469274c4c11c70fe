"""From Python types to JSON Schema, with the words of their docstrings."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final

import msgspec

from placet.http.record import REFERENCE, Record
from placet.http.requests.declared import Body, Form, fields_of, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard

    from placet.http.requests.declared import Field

    Schema = dict[str, Any]

_ATTRIBUTE: Final = re.compile(r"(\w+): (.+)")


class Schemas:
    """The schemas of some types. Records and enumerations become components and are referred to; all else stands where it is used.

    Args:
        types: every type that will be asked for.
    """

    def __init__(self, types: Iterable[Any]) -> None:
        self._types = list(types)
        forms = [form for kind in self._types if _is_body(kind) for form in forms_of(kind)]
        shown = [part for form in forms for part in (form.shows, *form.uses)]
        self._schemas, found = _components([*self._types, *shown])
        classes = _described_classes()
        self.components: dict[str, Schema] = {
            name: _described(found[name], classes.get(name)) for name in sorted(found)
        }

    def of(self, kind: Any) -> Schema:
        """The schema of a type."""
        return self._schemas[self._types.index(kind)]


def words_of(kind: type[Record]) -> dict[str, str]:
    """What the docstrings of a record and of its bases say of each attribute."""
    words: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        words |= _words(_parts(base)[1])
    return words


def _components(types: list[Any]) -> tuple[tuple[Schema, ...], dict[str, Schema]]:
    return msgspec.json.schema_components(types, schema_hook=_of_form, ref_template=REFERENCE)


def _of_form(kind: type) -> Schema:
    """What a form shows; msgspec asks for it, since it knows no such type."""
    if not issubclass(kind, Form):
        raise TypeError(f"{kind.__name__} is neither a type that msgspec knows nor a form")
    return _components([kind.shows])[0][0]


def _is_body(kind: Any) -> TypeGuard[type[Body]]:
    return isinstance(kind, type) and issubclass(kind, Body)


def _described_classes() -> dict[str, type[Record]]:
    """Every record by its name."""
    found: dict[str, type[Record]] = {}
    waiting: list[type[Record]] = [Record]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        found |= {kind.__name__: kind for kind in kinds}
    return found


def _described(schema: Schema, kind: type[Record] | None) -> Schema:
    """The schema of a record, with what its docstrings say of it and of each attribute, and what holds for it as a whole."""
    if kind is None:
        return schema
    words = words_of(kind)
    more: Schema = {"description": _parts(kind)[0]}
    if issubclass(kind, Body):
        words |= {
            field.name: _with_other_name(field, words) for field in fields_of(kind) if "also" in field.extra
        }
        more |= {"minProperties": kind.rules.least} if kind.rules.least else {}
        more |= {} if kind.rules.most is None else {"maxProperties": kind.rules.most}
    properties = {name: _with_words(item, words.get(name)) for name, item in schema["properties"].items()}
    return {**schema, **more, "properties": properties}


def _with_other_name(field: Field, words: dict[str, str]) -> str:
    return f"{words.get(field.name, '')} `{field.extra['also']}` is another name for this field.".strip()


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
