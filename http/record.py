"""The one base of everything that stands in the document of the wire."""

from __future__ import annotations

from typing import Any, Final

import msgspec

REFERENCE: Final = "#/components/schemas/{name}"
"""How the document refers to a record."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object of the wire. Its docstring and those of its attributes are what the document says of it."""


def refer(kind: type[Record]) -> dict[str, Any]:
    """A reference to the schema of a record."""
    return {"$ref": REFERENCE.format(name=kind.__name__)}
