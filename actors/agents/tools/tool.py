"""What a tool is to a model and to the agent that runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from placet.actors.agents.turn import Turn


class Request(msgspec.Struct, frozen=True):
    """One call of a model.

    Attributes:
        call_id: the model's own id for it.
        arguments: what it says, as JSON values, not yet checked.
    """

    call_id: str
    arguments: dict[str, Any]


class Tool(msgspec.Struct, frozen=True):
    """What a model is told of a tool, and what happens when it calls.

    Attributes:
        name: by which it is called.
        description: what it does, in the words that the model reads.
        parameters: a JSON schema.
        run: answers a call with what the model is told. It asks a person if it must, and journals what it does.
        offer: the first three as a model is told of them, in JSON. Made here once: each call of a model says it.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    run: Callable[[Turn, Request], Awaitable[str]]
    offer: msgspec.Raw = msgspec.Raw()

    def __post_init__(self) -> None:
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        offer = msgspec.json.encode({"type": "function", "function": function})
        force_setattr(self, "offer", msgspec.Raw(offer))


class ToolError(Exception):
    """The tool could not do what it was asked to; the model is told why, and may try otherwise."""
