"""What a tool is to a model and to the agent that runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

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
    """

    name: str
    description: str
    parameters: dict[str, Any]
    run: Callable[[Turn, Request], Awaitable[str]]


class ToolError(Exception):
    """The tool could not do what it was asked to; the model is told why, and may try otherwise."""
