"""The words of streaming chat completions, as far as they matter here. What providers add is ignored."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.actors.protocol.conversation import ToolCall, Usage


class FunctionDelta(msgspec.Struct, frozen=True):
    """A piece of a call: its function's name, in the first piece, and some of its arguments."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallDelta(msgspec.Struct, frozen=True):
    """A piece of one tool call. `index` says of which; some servers send each call whole and leave it out."""

    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class Delta(msgspec.Struct, frozen=True):
    """What is new in a chunk. Reasoning has two names among providers."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[CallDelta, ...] | None = None

    @property
    def thought(self) -> str:
        """The reasoning, under whichever name."""
        return self.reasoning_content or self.reasoning or ""


class ChunkChoice(msgspec.Struct, frozen=True):
    """The one choice of a chunk."""

    delta: Delta | None = None
    finish_reason: str | None = None


class ChunkUsage(msgspec.Struct, frozen=True):
    """Tokens of the whole call."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chunk(msgspec.Struct, frozen=True):
    """One `data:` of the stream. With `error` it is the end of it, and no answer."""

    choices: tuple[ChunkChoice, ...] | None = None
    usage: ChunkUsage | None = None
    error: Any = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's whole message, as a turn's journal keeps it.

    Attributes:
        text: what it said.
        reasoning: what it thought, as far as it shows that.
        calls: the tools that it calls, in its order; each id is there once in a turn.
        finish_reason: why it ended, in the provider's word.
        usage: tokens, zero where the provider did not say.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()
