"""A request declared once: the class that a body or a query is read into is the class that the document describes.

A field's type says what is taken; what else is true of it stands beside the type, so that nothing can be read that is not
described, or described that is not read:

* `refused_as` gives the code of its refusal, where that is not `invalid_params`;
* `only` narrows it to what can be honoured;
* `also` gives it a second name.

What one type cannot say, such as a list of messages in several dialects, is a `Form`: a type to show and a function to read it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast

import msgspec
from msgspec.inspect import CustomType, EnumType, IntType, LiteralType, Metadata, StructType, UnionType

from placet.actors.protocol.errors import InvalidInput
from placet.http.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_T = TypeVar("_T")
_B = TypeVar("_B", bound="Body")

_DIGITS_MAX = 18
"""Any longer number is larger than SQLite's."""


class Rules(NamedTuple):
    """What holds for a body as a whole.

    Attributes:
        least: how many fields it has at least.
        most: how many it has at most; `None` for any number.
        count_code: the code where it has too few or too many.
        unknown_code: the code where it has a field that is not declared, if its class forbids such.
    """

    least: int = 0
    most: int | None = None
    count_code: str = "invalid_params"
    unknown_code: str = "invalid_params"


class Body(Record, frozen=True, kw_only=True):
    """A JSON object of a request. Fields that are not declared are ignored, unless its class says `forbid_unknown_fields`."""

    rules: ClassVar[Rules] = Rules()


class Query(Body, frozen=True, kw_only=True):
    """The parameters in the query of a request."""


class Form(ABC, Generic[_T]):
    """A field of more forms than a type can say.

    Args:
        value: the field as it came; `None` if it is missing and must not be.
        param: where it stands, for refusals.

    Raises:
        InvalidInput: as `parse` says.
    """

    shows: ClassVar[Any]
    """The type that the document describes."""

    uses: ClassVar[tuple[Any, ...]] = ()
    """Further types that its schema refers to."""

    def __init__(self, value: object, param: str) -> None:
        self.value = self.parse(value, param)

    @staticmethod
    @abstractmethod
    def parse(value: object, param: str) -> _T:
        """What the field says.

        Raises:
            InvalidInput: it is in no form that is taken.
        """


def refused_as(code: str, why: str | None = None) -> msgspec.Meta:
    """A field is refused with this code.

    Args:
        code: the stable word.
        why: a sentence for a person; without it, what the type says.
    """
    return msgspec.Meta(extra={"code": code, "why": why})


def missing_as(code: str, why: str) -> msgspec.Meta:
    """A field that must be given and is not is told so with a code of its own.

    Args:
        code: the stable word.
        why: a sentence for a person.
    """
    return msgspec.Meta(extra={"missing": (code, why)})


def only(*values: object, why: str) -> msgspec.Meta:
    """Of a field's values only these can be honoured; others are refused as `unsupported_parameter`.

    Args:
        values: what can be.
        why: a sentence for a person.
    """
    return msgspec.Meta(extra_json_schema={"enum": list(values)}, extra={"only": values, "why_only": why})


def also(name: str) -> msgspec.Meta:
    """A field has a second name. Both may be given if they say the same."""
    return msgspec.Meta(extra={"also": name})


class Field(NamedTuple):
    """A declared field.

    Attributes:
        name: what it is called.
        kind: its type.
        default: what it is if it is not given, as far as that can be written.
        required: whether it must be given.
        inner: the body that it may be.
        counts: whether it is a number.
        words: the words that it may be, if it is one of some.
        extra: what stands beside its type.
    """

    name: str
    kind: Any
    default: Any
    required: bool
    inner: type[Body] | None
    counts: bool
    words: tuple[str, ...]
    extra: dict[str, Any]


@cache
def fields_of(kind: type[Body]) -> tuple[Field, ...]:
    """The declared fields of a body, in order."""
    return tuple(
        _field(info.name, info.type, info.default, required=info.required)
        for info in msgspec.structs.fields(kind)
    )


def read(kind: type[_B], body: Mapping[str, Any], under: str = "") -> _B:
    """A body, read as its class declares it.

    Args:
        kind: the class.
        body: the JSON object.
        under: where the object stands in the request: what the names of its fields are led by.

    Raises:
        InvalidInput: with the field in `param`.
    """
    _check_shape(kind, body, under)
    values: dict[str, Any] = {}
    for field in fields_of(kind):
        name = _given(field, body, under)
        if field.required or name in body:
            values[field.name] = _value(field, body.get(name), under + name)
    return kind(**values)


def read_query(kind: type[_B], words: Mapping[str, str]) -> _B:
    """A query, read as its class declares it; of a parameter that is given more than once the first counts.

    Args:
        kind: the class.
        words: the parameters.

    Raises:
        InvalidInput: with the parameter in `param`.
    """
    given = {field.name: field for field in fields_of(kind) if field.name in words}
    return read(kind, {name: _of_word(words[name], field) for name, field in given.items()})


def read_words(kind: Any, words: list[str], name: str) -> Any:
    """The value of a header.

    Args:
        kind: its type.
        words: what its lines say; more than one are no value.
        name: what it is called.

    Raises:
        InvalidInput: with the name as `param`.
    """
    field = _field(name, kind, required=True)
    return _value(field, _of_word(words[0], field) if len(words) == 1 else words, name)


def _of_word(word: str, field: Field) -> str | int:
    """The number that a word writes in plain digits, if it is to be one; else the word itself."""
    plain = field.counts and word.isascii() and word.isdigit() and len(word) <= _DIGITS_MAX
    return int(word) if plain else word


def _check_shape(kind: type[Body], body: Mapping[str, Any], under: str) -> None:
    names = {field.name for field in fields_of(kind)}
    unknown = set(body) - names
    if unknown and kind.__struct_config__.forbid_unknown_fields:
        listed = ", ".join(sorted(names))
        raise InvalidInput(
            f"There is no field `{under}{min(unknown)}` here; there are {listed}.",
            code=kind.rules.unknown_code,
            param=under.rstrip(".") or min(unknown),
        )
    rules, count = kind.rules, len(body.keys() & names)
    if count < rules.least or (rules.most is not None and count > rules.most):
        raise InvalidInput(_how_many(rules, names), code=rules.count_code, param=under.rstrip(".") or None)


def _how_many(rules: Rules, names: set[str]) -> str:
    bound = "exactly" if rules.least == rules.most else "at least" if rules.most is None else "at most"
    return f"The body has {bound} {rules.most or rules.least} of the fields {', '.join(sorted(names))}."


def _given(field: Field, body: Mapping[str, Any], under: str) -> str:
    """Under which of its names a field is given."""
    other = field.extra.get("also")
    if other is None or body.get(other) is None:
        return field.name
    if body.get(field.name) not in (None, body[other]):
        raise InvalidInput(
            f"`{field.name}` and `{other}` are one field and must not differ.", param=under + other
        )
    return cast("str", other)


def _value(field: Field, value: object, param: str) -> Any:
    if field.inner is not None and isinstance(value, dict):
        return read(field.inner, cast("dict[str, Any]", value), f"{param}.")
    extra = field.extra
    if value is None and "missing" in extra:
        code, why = extra["missing"]
        raise InvalidInput(why, code=code, param=param)
    try:
        found = msgspec.convert(value, field.kind, dec_hook=lambda form, given: form(given, param))
    except msgspec.ValidationError as error:
        why = extra.get("why") or _what(field, param, error)
        raise InvalidInput(why, code=extra.get("code", "invalid_params"), param=param) from None
    if found is not None and found not in extra.get("only", (found,)):
        why = f"`{param}` cannot be honoured. {extra['why_only']}"
        raise InvalidInput(why, code="unsupported_parameter", param=param)
    return found


def _what(field: Field, param: str, error: msgspec.ValidationError) -> str:
    return f"`{param}` is one of {', '.join(field.words)}." if field.words else f"`{param}`: {error}."


def _field(name: str, kind: Any, default: Any = None, *, required: bool) -> Field:
    members = list(_members(msgspec.inspect.type_info(kind)))
    extra: dict[str, Any] = {}
    inner: type[Body] | None = None
    words: list[str] = []
    for member in members:
        if isinstance(member, Metadata):
            extra |= member.extra or {}
        elif isinstance(member, StructType) and issubclass(member.cls, Body):
            inner = member.cls
        elif isinstance(member, EnumType):
            words += [str(choice.value) for choice in member.cls]
        elif isinstance(member, LiteralType):
            words += [str(value) for value in member.values]
    return Field(
        name=name,
        kind=kind,
        default=None if default in (msgspec.NODEFAULT, msgspec.UNSET) else default,
        required=required,
        inner=inner,
        counts=any(isinstance(member, IntType) for member in members),
        words=tuple(words),
        extra=extra,
    )


def _members(node: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    """What a type may be, and what stands beside it."""
    if isinstance(node, UnionType):
        for member in node.types:
            yield from _members(member)
        return
    yield node
    if isinstance(node, Metadata):
        yield from _members(node.type)


def forms_of(kind: type[Body]) -> Iterator[type[Form[Any]]]:
    """The forms among the fields of a body, and of the bodies in it."""
    for field in fields_of(kind):
        if field.inner is not None:
            yield from forms_of(field.inner)
        for member in _members(msgspec.inspect.type_info(field.kind)):
            if isinstance(member, CustomType) and issubclass(member.cls, Form):
                yield member.cls
