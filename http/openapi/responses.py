"""`/v1/responses`, described."""

from typing import Annotated, Final, Literal

import msgspec

from placet.http.openapi import parameters as p
from placet.http.openapi.messages import MESSAGES_ERRORS, Message
from placet.http.openapi.operation import Answer, Operation, Parameter
from placet.http.openapi.records import Record
from placet.http.openapi.response_events import EVENTS, Response
from placet.http.openapi.response_items import INPUTS, Input
from placet.http.openapi.turn import Settings, StreamOptions

TAG: Final = "Responses"

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
_Tokens = Annotated[int, msgspec.Meta(ge=1)]


class ConversationName(Record, frozen=True, kw_only=True):
    """A conversation by its name."""

    id: _Name | None = None


class TextFormat(Record, frozen=True, kw_only=True):
    """The form that the model is to answer in; a schema stands beside its type."""

    type: Literal["text", "json_object", "json_schema"]


class TextSettings(Record, frozen=True, kw_only=True):
    """How the text is to be."""

    format: TextFormat | None = None


class Reasoning(Record, frozen=True, kw_only=True):
    """How hard the model is to think."""

    effort: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None


class ResponseRequest(Settings, frozen=True, kw_only=True):
    """What is asked, and what it goes on from.

    Attributes:
        input: what is asked: text, or items of which the last is answered.
        instructions: what the agent is to go by; without them those of the response before hold.
        previous_response_id: the response that this one goes on from.
        conversation: the conversation that this one goes on with, by a name of the client's; not together with a previous response.
        conversation_history: what was said before, in place of what is stored.
        store: whether the response can be read later.
        background: whether the answer is not waited for; then it must be stored.
        truncation: `auto` keeps the newest part of a long history.
    """

    input: Input
    instructions: str | None = None
    previous_response_id: _Name | None = None
    conversation: _Name | ConversationName | None = None
    conversation_history: list[Message] | None = None
    store: bool | None = None
    background: bool | None = None
    truncation: Literal["auto", "disabled"] | None = None
    max_output_tokens: _Tokens | None = None
    reasoning: Reasoning | None = None
    text: TextSettings | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class ResponseDeleted(Record, frozen=True, kw_only=True):
    """A response that is no longer kept."""

    id: str
    object: Literal["response"]
    deleted: Literal[True]


_Word = Annotated[str, msgspec.Meta(extra_json_schema={"enum": ["true", "false"]})]
_HEADERS: Final = ("X-Hermes-Session-Id", "X-Session-Id", "X-Hermes-Session-Key")
_SESSION_ERRORS: Final = ("invalid_session_key", "session_header_forbidden")

OPERATIONS: Final = (
    Operation(
        name="responses",
        method="POST",
        path="/v1/responses",
        tag=TAG,
        summary="Ask for a response.",
        description=(
            "A prompt is shown as an output item of type `mcp_approval_request`, and in the dialect `event` also as the event "
            "`approval.request`. It is decided by its id, not by an item of input. A stream ends with exactly one of "
            "`response.completed`, `response.failed`, `response.cancelled` and `response.incomplete`."
        ),
        parameters=(*p.SESSION_HEADERS, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.DIALECT, p.ON_BUSY),
        body=ResponseRequest,
        answers=(
            Answer(
                description="The response, or its stream.", body=Response, stream=EVENTS, headers=p.ID_HEADERS
            ),
        ),
        errors=(*MESSAGES_ERRORS, "missing_input", "unsupported_input_item", "response_not_found"),
        submits=True,
        uses=INPUTS,
    ),
    Operation(
        name="response",
        method="GET",
        path="/v1/responses/{run_id}",
        tag=TAG,
        summary="Read a response, or follow it from any place.",
        parameters=(
            p.RUN,
            Parameter(name="stream", place="query", description="Whether to follow it.", type=_Word),
            Parameter(
                name="starting_after",
                place="query",
                description="The last `sequence_number` that the reader has: the stream goes on after it.",
                type=p.Place,
            ),
            p.DIALECT,
            p.SESSION_KEY,
        ),
        answers=(
            Answer(
                description="The response, or its stream.", body=Response, stream=EVENTS, headers=_HEADERS
            ),
        ),
        errors=(*_SESSION_ERRORS, "invalid_params", "invalid_starting_after", "response_not_found"),
    ),
    Operation(
        name="response_delete",
        method="DELETE",
        path="/v1/responses/{run_id}",
        tag=TAG,
        summary="Keep a response no longer.",
        parameters=(p.RUN,),
        answers=(Answer(description="It can no longer be read.", body=ResponseDeleted),),
        errors=("response_not_found", "role_required", "session_not_found"),
    ),
    Operation(
        name="response_cancel",
        method="POST",
        path="/v1/responses/{run_id}/cancel",
        tag=TAG,
        summary="Stop a response.",
        parameters=(p.RUN, p.DIALECT, p.SESSION_KEY),
        answers=(Answer(description="It ends, or has ended before.", body=Response, headers=_HEADERS),),
        errors=(
            *_SESSION_ERRORS,
            "invalid_params",
            "response_not_found",
            "role_required",
            "session_not_found",
            "unknown_execution",
        ),
    ),
)
