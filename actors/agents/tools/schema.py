"""What a model is told of a function: its description, and its parameters as a JSON schema."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

TURN = "turn"
"""A first parameter of this name is given the turn, and is nothing that the model says."""

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields):\s*$", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {2,8}(\w+): (.+(?:\n {6,}\S.*)*)", re.MULTILINE)


def arguments_type(function: Callable[..., Any]) -> type[msgspec.Struct]:
    """A struct of the function's parameters, by which a model's arguments are checked.

    Raises:
        TypeError: a parameter has no annotation, or one that JSON cannot express.
    """
    hints = _hints(function)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name == TURN:
            continue
        if name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"The tool {function.__name__} must say of what type its parameter {name!r} is.")
        default = () if parameter.default is parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *default))
    return msgspec.defstruct(
        function.__name__, fields, kw_only=True, forbid_unknown_fields=True, module=function.__module__
    )


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """What the parameters are annotated with. Not the turn: its type may be imported for type checkers only."""
    written = inspect.get_annotations(function)
    spoken = {name: hint for name, hint in written.items() if name not in (TURN, "return")}
    holder = type(function.__name__, (), {"__annotations__": spoken})
    return get_type_hints(holder, globalns=function.__globals__, include_extras=True)


def parameters_schema(arguments: type[msgspec.Struct], docstring: str) -> dict[str, Any]:
    """The JSON schema of the parameters, each with what the docstring's `Args:` says of it."""
    (root,), definitions = msgspec.json.schema_components((arguments,), ref_template="#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    schema: dict[str, Any] = definitions.pop(name)
    del schema["title"]
    for parameter, text in _ARGUMENT.findall(_section(docstring, "Args")):
        if parameter in schema["properties"]:
            schema["properties"][parameter]["description"] = " ".join(text.split())
    return {**schema, "$defs": definitions} if definitions else schema


def description(docstring: str) -> str:
    """What stands before the docstring's sections."""
    return _SECTION.split(docstring, maxsplit=1)[0].strip()


def _section(docstring: str, name: str) -> str:
    found = _SECTION.split(docstring)
    return dict(zip(found[1::2], found[2::2], strict=True)).get(name, "")
