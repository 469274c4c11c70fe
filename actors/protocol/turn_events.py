"""What a running turn does, in the past tense."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.actors.protocol.conversation import ChatMessage


class TextAppended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The agent said something."""

    admission_id: str
    generation: int
    text: str


class ThoughtAppended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The agent thought something that it shows."""

    admission_id: str
    generation: int
    text: str


class AnswerRestarted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A model call is made again: the text and the reasoning so far count from here."""

    admission_id: str
    generation: int


class ToolStarted(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A tool is about to run. Recorded before it does.

    Attributes:
        step: its journal key.
        call_id: what clients know it by.
        tool: its name.
        preview: its arguments, masked and escaped, for people.
    """

    admission_id: str
    generation: int
    step: str
    call_id: str
    tool: str
    preview: str


class ToolProgressed(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A running tool printed something."""

    admission_id: str
    generation: int
    call_id: str
    text: str


class ToolEnded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A tool ended; `result` is what the agent was given, as JSON."""

    admission_id: str
    generation: int
    step: str
    call_id: str
    tool: str
    failed: bool
    duration_s: float
    result: Any


class StepEnded(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """A journaled step has its result, which a replay is given instead of running it again."""

    admission_id: str
    generation: int
    step: str
    result: Any


class MessageKept(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The conversation has a message of the turn before the one that ends it: a call of tools, or a tool's result.

    Attributes:
        step: the journal key, by which a replay does not keep it twice.
        message: the message.
        said: how many characters of the turn's text it and those before it hold.
    """

    admission_id: str
    generation: int
    step: str
    message: ChatMessage
    said: int


class SteeringTaken(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The agent has read what it was told while it ran.

    Attributes:
        step: the journal key, by which a replay is told the same at the same place.
        texts: what it read, the oldest first.
    """

    admission_id: str
    generation: int
    step: str
    texts: tuple[str, ...]


Output = (
    TextAppended
    | ThoughtAppended
    | AnswerRestarted
    | ToolStarted
    | ToolProgressed
    | ToolEnded
    | StepEnded
    | MessageKept
    | SteeringTaken
)
"""What a running turn records."""
