"""What a client sends and an agent reads: messages, settings, one turn's input."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Role = Literal["system", "user", "assistant", "tool"]


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One part of a message's content.

    Attributes:
        type: `text` or `image`.
        text: the text of a text part.
        url: of an image, `https:` or `data:`.
        detail: how closely a model should look at the image.
    """

    type: Literal["text", "image"]
    text: str = ""
    url: str = ""
    detail: str | None = None


class ToolCall(msgspec.Struct, frozen=True):
    """A call that an assistant message of the history made; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class ChatMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation. System and developer messages are both `system`."""

    role: Role
    content: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        return "\n".join(part.text for part in self.content if part.type == "text")


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What of the request is passed on to a model. `None`: the client did not say."""

    model: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: tuple[str, ...] | None = None
    seed: int | None = None
    response_format: dict[str, Any] | None = None
    reasoning_effort: str | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None


class TurnInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one admission asks of the agent.

    Attributes:
        content: the user's message that this turn answers.
        history: what the client sent before it, or `None` if the session's own history counts. That is read when the turn
            starts, not when it was admitted, so queued work never sees a stale history.
        system: system-level text for this turn only.
        settings: for the model.
    """

    content: ChatMessage
    history: tuple[ChatMessage, ...] | None = None
    system: str = ""
    settings: Settings = Settings()


class Usage(msgspec.Struct, frozen=True):
    """Tokens of a turn as the model counted them; zero where it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


FinishReason = Literal["stop", "length", "content_filter"]
"""Why an answer ends where it does: it is done, or a model's limit or its provider's filter cut it."""


class TurnResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a settled admission leaves: its text, or why there is none.

    Attributes:
        text: the assistant's whole answer.
        kept: how many characters of it, from its beginning, earlier messages of the turn hold in the conversation.
        finish_reason: why the text of a completed turn ends where it does.
        error_code: a stable word if it failed, such as `agent_failed`, `run_cancelled`, `owner_lost`.
        error: what happened, for a person, without internals.
        usage: tokens.
    """

    text: str = ""
    kept: int = 0
    finish_reason: FinishReason = "stop"
    error_code: str | None = None
    error: str | None = None
    usage: Usage = Usage()
