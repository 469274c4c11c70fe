"""`/v1/chat/completions`, described."""

from typing import Annotated, Final, Literal

import msgspec

from placet.http.chat_stream import DONE
from placet.http.openapi import parameters as p
from placet.http.openapi.codes import Error
from placet.http.openapi.messages import MESSAGES_ERRORS, Message
from placet.http.openapi.operation import Answer, Operation, Stream
from placet.http.openapi.records import (
    ApprovalEnded,
    ApprovalRequest,
    ClarifyRequest,
    ClarifySettled,
    Record,
    Usage,
)
from placet.http.openapi.turn import ChatSettings, StreamOptions

_EXAMPLES: Final = [[{"role": "user", "content": text}] for text in ("Say hello.", "$ rm -f hello.txt")]


class ChatCompletionRequest(ChatSettings, frozen=True, kw_only=True):
    """A conversation whose last message is to be answered. That must be the user's.

    Attributes:
        messages: what was said, oldest first. In a session that is named only the last counts.
        stream: whether the answer comes as it is made.
    """

    messages: Annotated[list[Message], msgspec.Meta(min_length=1, examples=_EXAMPLES)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class AnswerMessage(Record, frozen=True, kw_only=True):
    """The answer."""

    role: Literal["assistant"]
    content: str


class CompletionChoice(Record, frozen=True, kw_only=True):
    """The one answer to a request."""

    index: int
    message: AnswerMessage
    finish_reason: str


class ChatCompletion(Record, frozen=True, kw_only=True):
    """A whole answer.

    Attributes:
        id: also the id of a run.
        created: Unix seconds.
        model: as the request called it.
    """

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: Usage


class Delta(Record, frozen=True, kw_only=True):
    """What is new."""

    role: Literal["assistant"] | msgspec.UnsetType = msgspec.UNSET
    content: str | msgspec.UnsetType = msgspec.UNSET
    reasoning_content: str | msgspec.UnsetType = msgspec.UNSET


class ChunkChoice(Record, frozen=True, kw_only=True):
    """A piece of the one answer; the last one has a reason and no delta."""

    index: int
    delta: Delta
    finish_reason: str | None


class ToolProgress(Record, frozen=True, kw_only=True):
    """A tool has started or ended."""

    tool: str
    toolCallId: str
    status: Literal["running", "completed"]
    label: str | msgspec.UnsetType = msgspec.UNSET


class Restarted(Record, frozen=True, kw_only=True):
    """What was said so far no longer counts: the model begins its answer again."""

    event: Literal["message.restarted"]
    run_id: str


class Beside(Record, frozen=True, kw_only=True):
    """In the dialect `chunk`: what the dialect `event` tells in events of its own."""

    approval: ApprovalRequest | msgspec.UnsetType = msgspec.UNSET
    approval_ended: ApprovalEnded | msgspec.UnsetType = msgspec.UNSET
    clarify: ClarifyRequest | msgspec.UnsetType = msgspec.UNSET
    clarify_ended: ClarifySettled | msgspec.UnsetType = msgspec.UNSET
    tool: ToolProgress | msgspec.UnsetType = msgspec.UNSET
    restarted: Restarted | msgspec.UnsetType = msgspec.UNSET


class ChatCompletionChunk(Record, frozen=True, kw_only=True):
    """A piece of an answer. That with `usage` comes last, has no choices, and comes only if it was asked for."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | msgspec.UnsetType = msgspec.UNSET
    placet: Beside | msgspec.UnsetType = msgspec.UNSET


STREAM: Final = Stream(
    events=(
        ("message", ChatCompletionChunk),
        ("message", Error),
        ("approval.request", ApprovalRequest),
        ("clarify.request", ClarifyRequest),
        ("clarify.settled", ClarifySettled),
        ("approval.responded", ApprovalEnded),
        ("approval.settled", ApprovalEnded),
        ("hermes.tool.progress", ToolProgress),
        ("message.restarted", Restarted),
    ),
    last=DONE.decode().removeprefix("data: ").strip(),
    ids=False,
)

OPERATIONS: Final = (
    Operation(
        name="chat_completions",
        method="POST",
        path="/v1/chat/completions",
        tag="Chat",
        summary="Answer a conversation, as OpenAI's clients ask for it.",
        description=(
            "Where the agent wants to do something dangerous the answer waits until a person has decided. A stream shows the "
            "prompt: as an event of its own, or for SDKs that take every event for a chunk inside an ordinary chunk. A request "
            "that is not streamed is answered only after the decision; send an `Idempotency-Key`, so that a retry finds its "
            "work. A stream that fails ends with an `error` object, without a finish reason and without `[DONE]`."
        ),
        parameters=(*p.SESSION_HEADERS, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.DIALECT, p.ON_BUSY),
        body=ChatCompletionRequest,
        answers=(
            Answer(
                description="The answer, whole or as a stream of chunks.",
                body=ChatCompletion,
                stream=STREAM,
                headers=p.ID_HEADERS,
            ),
            Answer(
                description="The run has ended without a whole answer: it failed, was stopped, or was interrupted.",
                status=502,
                body=Error,
            ),
        ),
        errors=MESSAGES_ERRORS,
        submits=True,
    ),
)
