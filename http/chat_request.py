"""A request for a turn: what it asks, and how it wants to be served."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated

import msgspec

from placet.actors.protocol.commands import OnBusy
from placet.actors.protocol.conversation import ChatMessage, TurnInput
from placet.http.chat_content import Content
from placet.http.chat_messages import Messages
from placet.http.chat_settings import ModelSettings, Tokens
from placet.http.dialect import Dialect
from placet.http.requests.declared import Body, also, missing_as, refused_as
from placet.http.requests.parameters import ON_BUSY, read_header

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers


class Placet(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a request wants to be served. It is no part of what the request means.

    Attributes:
        approvals: how prompts and the progress of tools are shown in the stream.
        on_busy: what to do if the session is at work.
    """

    approvals: Dialect | None = None
    on_busy: OnBusy | None = None


class StreamOptions(Body, frozen=True, kw_only=True):
    """How a stream is to be.

    Attributes:
        include_usage: whether it ends with a usage chunk.
    """

    include_usage: bool | None = None


class Served(ModelSettings, frozen=True, kw_only=True):
    """What every request for a turn may say beside what it asks.

    Attributes:
        stream: whether the answer comes as it is made.
    """

    stream: bool | None = None
    stream_options: StreamOptions | None = None
    placet: Placet | None = None


class ChatTurn(Served, frozen=True, kw_only=True):
    """The same with the limits of an answer in the words of chat completions."""

    max_tokens: Tokens | None = None
    max_completion_tokens: Tokens | None = None


class ChatCompletionRequest(ChatTurn, frozen=True, kw_only=True):
    """A conversation whose last message is to be answered. That must be the user's.

    Attributes:
        messages: what was said, oldest first. In a session that is named only the last counts.
    """

    messages: Messages


class SessionChatRequest(ChatTurn, frozen=True, kw_only=True):
    """What is said to a session; its own history counts.

    Attributes:
        message: what a person says.
        system_message: what the agent is to go by.
    """

    message: Annotated[Content, also("input"), missing_as("missing_message", "There must be a `message`.")]
    system_message: Annotated[str, also("instructions"), refused_as("invalid_system_message")] | None = None


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a turn.

    Attributes:
        stream: whether it is answered as a stream.
        include_usage: whether the stream ends with a usage chunk.
        model: what the client called the model, to be echoed; `None` if it did not say.
        input: what the agent is asked. It alone is what the request means.
        approvals: the dialect that the body asks for.
        on_busy: what to do if the session is at work.
    """

    stream: bool
    include_usage: bool
    model: str | None
    input: TurnInput
    approvals: Dialect | None
    on_busy: OnBusy

    def with_stored_history(self) -> ChatRequest:
        """The same request without a history of its own, for a session that a client named: there the stored one counts."""
        return msgspec.structs.replace(self, input=msgspec.structs.replace(self.input, history=None))


def chat_of(asked: ChatCompletionRequest, headers: Headers) -> ChatRequest:
    """The request for a turn in a chat completion.

    Args:
        asked: the body.
        headers: of the request; `X-Placet-On-Busy` is read, and yields to the body's `placet.on_busy`.

    Raises:
        InvalidInput: the header holds an unknown word.
    """
    said = asked.messages.value
    return turn_of(asked, headers, content=said.content, history=said.history, system=said.system)


def session_chat_of(asked: SessionChatRequest, headers: Headers) -> ChatRequest:
    """The request for a turn in a session's chat. It has no history, since the session's own counts.

    Args:
        asked: the body.
        headers: as in `chat_of`.

    Raises:
        InvalidInput: as `chat_of`.
    """
    content = ChatMessage(role="user", content=asked.message.value)
    return turn_of(asked, headers, content=content, history=None, system=asked.system_message or "")


def turn_of(
    asked: Served,
    headers: Headers,
    *,
    content: ChatMessage,
    history: tuple[ChatMessage, ...] | None,
    system: str,
) -> ChatRequest:
    """A request whose conversation was read, with what else its body and headers say.

    Args:
        asked: the body.
        headers: as in `chat_of`.
        content: the message to answer.
        history: what was said before it; `None` if the session's own history counts.
        system: system-level text.

    Raises:
        InvalidInput: as `chat_of`.
    """
    own = asked.placet or Placet()
    settings = asked.for_model()
    on_busy: OnBusy | None = read_header(headers, ON_BUSY)
    return ChatRequest(
        stream=asked.stream or False,
        include_usage=bool(asked.stream_options and asked.stream_options.include_usage),
        model=settings.model,
        input=TurnInput(content=content, history=history, system=system, settings=settings),
        approvals=own.approvals,
        on_busy=own.on_busy or on_busy or OnBusy.QUEUE,
    )


def fingerprint(kind: str, session_id: str | None, chat: ChatRequest) -> str:
    """What two requests share if and only if they mean the same: SHA-256 in hex of the canonical JSON of the meaning.

    How a request wants to be served (`stream`, dialect, what to do if the session is busy), what is not honoured, and how its
    JSON was written are no part of it. Take it from the request as it will be admitted.

    Args:
        kind: the route family, such as `chat`.
        session_id: the session that the client named, if it named one.
        chat: the request.
    """
    meaning = {"v": 1, "kind": kind, "session_id": session_id, "input": msgspec.to_builtins(chat.input)}
    return hashlib.sha256(msgspec.json.encode(meaning, order="deterministic")).hexdigest()
