"""`/v1/chat/completions`, described."""

from typing import Final, Literal

import msgspec

from placet.http.chat_request import ChatCompletionRequest
from placet.http.chat_stream import DONE
from placet.http.openapi.codes import OF_MESSAGES, Error
from placet.http.openapi.operation import WHOSE_WORK, Answer, Operation, Stream
from placet.http.openapi.records import (
    ApprovalEnded,
    ApprovalRequest,
    ClarifyRequest,
    ClarifySettled,
    Usage,
)
from placet.http.record import Record
from placet.http.requests import parameters as p


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
        headers=(*p.SESSION_HEADERS, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.DIALECT, p.ON_BUSY),
        body=ChatCompletionRequest,
        answers=(
            Answer(
                description="The answer, whole or as a stream of chunks.",
                body=ChatCompletion,
                stream=STREAM,
                headers=WHOSE_WORK,
            ),
            Answer(
                description="The run has ended without a whole answer: it failed, was stopped, or was interrupted.",
                status=502,
                body=Error,
            ),
        ),
        errors=OF_MESSAGES,
        submits=True,
    ),
)
