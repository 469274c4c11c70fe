"""The reference of all settings, written from the types and docstrings that define them.

`python -m placet.http.config_reference > docs/configuration.md` renews the page; a test says when it is stale.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
import msgspec.inspect as types

from placet.actors.protocol.limits import Limits
from placet.http.cli.serve import serve
from placet.http.config import Config, unknown_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND: Final = "python -m placet.http.config_reference > docs/configuration.md"

_HEAD: Final = f"""# Settings

<!-- Written by `{COMMAND}` from the types of the settings. Change those, not this. -->

A setting is given by a flag of `placet serve`, by an environment variable, or in the TOML file that `--config` names. A flag wins
over a variable, and that over the file. In a variable a list is separated by commas, a switch is `true` or `false`, and an empty
variable counts as unset. Tables, such as `[[principal]]`, stand in the file only. What is misspelt or out of range refuses the
start with exit status 78, and names the flag, variable or line.

Under a hypercorn of your own the same variables hold, and `PLACET_CONFIG` names the file. The commands that talk to a server have
`PLACET_URL` and `PLACET_API_KEY`; [terminal.md](terminal.md) describes them.
"""

_UNITS: Final = {"_s": "seconds", "_bytes": "bytes", "_tokens": "tokens"}
"""What a number counts, by the end of its setting's name."""

_HEADERS: Final = {"models": "model"}
"""Where a table's header is not the setting's own name: of several models each is a `[[model]]`."""

_ENTRY: Final = re.compile(r"^(\w+): (.+(?:\n +.+)*)", re.MULTILINE)
_DEFAULT_IN_HELP: Final = re.compile(r"\[(.+)\]$")


def reference() -> str:
    """The whole page, in Markdown."""
    config = _table(types.type_info(Config))
    assert config is not None
    plain = [field for field in config.fields if _table(field.type) is None]
    limits = [field for field in plain if field.name in Limits.__struct_fields__]
    server = [field for field in plain if field not in limits]
    parts = [
        _HEAD,
        *_section("The server", server, Config),
        *_section("Limits and time-outs", limits, Limits),
    ]
    for field in config.fields:
        table = _table(field.type)
        if table is not None:
            header = _HEADERS.get(field.name, field.name)
            title = f"`[{header}]`" if table is field.type else f"`[[{header}]]`"
            parts += _section(title, table.fields, table.cls, in_file=True)
    return "\n".join(parts)


def _section(
    title: str, fields: Sequence[types.Field], owner: type, *, in_file: bool = False
) -> Iterator[str]:
    """A heading, a table with a row for each setting, and what the words that it may hold mean."""
    about, described = _docstring(owner)
    yield f"## {title}\n"
    if in_file:
        yield f"{about}\n"
    columns = ["Setting", "Value", "Default", *([] if in_file else ["Flag, variable"]), "What it is"]
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for field in fields:
        places = [] if in_file else [_places(field.name)]
        cells = [
            f"`{field.name}`",
            _kind(field.name, field.type),
            _default(field),
            *places,
            _sentence(described[field.name]),
        ]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    for field in fields:
        yield from _words(field)


def _docstring(owner: type) -> tuple[str, dict[str, str]]:
    """What a class says of itself, and of each of its attributes in one line."""
    about, _, listed = inspect.cleandoc(owner.__doc__ or "").partition("\n\nAttributes:\n")
    entries = _ENTRY.findall(textwrap.dedent(listed))
    return about, {name: " ".join(text.split()) for name, text in entries}


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].replace("|", "\\|")


def _table(kind: types.Type) -> types.StructType | None:
    """The table that a setting is, or is a list of; `None` for one that is neither."""
    kind = kind.item_type if isinstance(kind, types.VarTupleType) else kind
    return kind if isinstance(kind, types.StructType) else None


def _kind(name: str, kind: types.Type) -> str:
    """What may be written, in words."""
    match kind:
        case types.UnionType():
            return _kind(name, next(each for each in kind.types if not isinstance(each, types.NoneType)))
        case types.LiteralType():
            return " or ".join(f"`{word}`" for word in kind.values)
        case types.EnumType():
            return ", ".join(f"`{member.value}`" for member in kind.cls)
        case types.FloatType() | types.IntType():
            return _number(name, kind)
        case types.BoolType():
            return "`true` or `false`"
        case types.VarTupleType():
            words = _kind(name, kind.item_type)
            return "list of texts" if words == "text" else f"list of {words}"
        case types.DictType():
            return "table of texts"
        case types.CustomType():
            return "path"
        case _:
            return "text"


def _number(name: str, kind: types.FloatType | types.IntType) -> str:
    least = (
        "above 0" if kind.gt == 0 else f"{kind.ge} or more" if kind.le is None else f"{kind.ge} to {kind.le}"
    )
    unit = next((unit for suffix, unit in _UNITS.items() if name.endswith(suffix)), "whole number")
    return f"{unit}, {least}"


def _default(field: types.Field) -> str:
    if field.required:
        return "must be given"
    if field.default is msgspec.NODEFAULT:
        return _default_in_words(field.name)
    return _literal(field.default)


def _default_in_words(name: str) -> str:
    """A default that depends on where the server is started: the flag's own words for it."""
    flag = next((each for each in serve.params if each.name == name), None)
    found = _DEFAULT_IN_HELP.search(getattr(flag, "help", None) or "")
    return found[1] if found else "empty"


def _literal(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case ():
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case float():
            return f"`{value:g}`"
        case tuple():
            return ", ".join(map(_literal, cast("tuple[object, ...]", value)))
        case Enum():
            return f"`{value.value}`"
        case _:
            return f"`{value}`"


def _places(name: str) -> str:
    """The flag that sets it, if there is one, and the variable."""
    flags = [f"`{option.opts[0]}`" for option in serve.params if option.name == name]
    variable = f"PLACET_{name.upper()}"
    return ", ".join([*flags, *([] if unknown_variables({variable: ""}) else [f"`{variable}`"])])


def _words(field: types.Field) -> Iterator[str]:
    """What the docstring of an enumeration says of its words."""
    kinds = field.type.types if isinstance(field.type, types.UnionType) else (field.type,)
    for kind in kinds:
        if isinstance(kind, types.EnumType):
            _, _, meanings = inspect.cleandoc(kind.cls.__doc__ or "").partition("\n\n")
            for member in kind.cls:
                meanings = meanings.replace(f"`{member.name}`", f"`{member.value}`")
            yield f"`{field.name}`: {' '.join(meanings.split())}\n"


if __name__ == "__main__":
    print(reference(), end="")
