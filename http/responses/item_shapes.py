"""The shapes of the items in a response's input. `given` reads them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from placet.http.record import Record, refer
from placet.http.requests.shapes import PARTS, Parts

ITEMS_MAX: Final = 10_000
"""Items of one input. Clients that keep the history themselves send hundreds."""

_Id = Annotated[str, msgspec.Meta(min_length=1)]


class InputMessage(Record, frozen=True, kw_only=True):
    """A message. Its `type` is `message` or missing; without a role it is the user's."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | Parts | None = None


class InputFunctionCall(Record, frozen=True, kw_only=True, tag_field="type", tag="function_call"):
    """A call of a tool in an earlier output. It joins the assistant's message before it."""

    call_id: _Id
    name: _Id
    arguments: str


class InputFunctionCallOutput(
    Record, frozen=True, kw_only=True, tag_field="type", tag="function_call_output"
):
    """What that tool gave."""

    call_id: _Id
    output: str | Parts


class InputThought(Record, frozen=True, kw_only=True, tag_field="type", tag="reasoning"):
    """Reasoning of an earlier output; it is skipped."""


INPUTS: Final[tuple[type[Record], ...]] = (
    InputMessage,
    InputFunctionCall,
    InputFunctionCallOutput,
    InputThought,
    *PARTS,
)

Input: Final = Annotated[
    Any,
    msgspec.Meta(
        extra_json_schema={
            "anyOf": [
                {"type": "string", "pattern": r"\S", "examples": ["$ rm -f hello.txt"]},
                {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": ITEMS_MAX,
                    "items": {"anyOf": [{"type": "string"}, *map(refer, INPUTS)]},
                },
            ]
        }
    ),
]
"""Text, or items of which the last is answered. A type cannot say it: a message need not tell that it is one."""
