"""The events of a response's stream, described."""

from typing import Any, Final, Literal

from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.http.openapi.operation import Stream
from placet.http.openapi.records import ApprovalRequest, ClarifyRequest, ClarifySettled, Problem
from placet.http.openapi.response_items import OutputItem, OutputPart
from placet.http.record import Record


class ResponseUsage(Record, frozen=True, kw_only=True):
    """Tokens that were counted."""

    input_tokens: int
    input_tokens_details: dict[str, int]
    output_tokens: int
    output_tokens_details: dict[str, int]
    total_tokens: int


class Incomplete(Record, frozen=True, kw_only=True):
    """Why a response is not whole."""

    reason: str | None
    message: str | None


class NamedConversation(Record, frozen=True, kw_only=True):
    """A conversation by its name."""

    id: str


class ResponseBeside(Record, frozen=True, kw_only=True):
    """What the protocol has no word for."""

    session_id: str


class Response(Record, frozen=True, kw_only=True):
    """A response. Its id is also that of a run.

    Attributes:
        created_at: Unix seconds.
        error: why it failed.
        output: what the agent said, thought and did, in order.
    """

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["queued", "in_progress", "completed", "failed", "cancelled", "incomplete"]
    background: bool
    error: Problem | None
    incomplete_details: Incomplete | None
    instructions: str | None
    max_output_tokens: int | None
    metadata: dict[str, Any]
    model: str
    output: list[OutputItem]
    parallel_tool_calls: bool
    previous_response_id: str | None
    conversation: NamedConversation | None
    reasoning: dict[str, str | None]
    store: bool
    temperature: float | None
    text: dict[str, Any]
    tool_choice: str
    tools: list[Any]
    top_p: float | None
    truncation: Literal["auto", "disabled"]
    usage: ResponseUsage | None
    placet: ResponseBeside


class ResponseEvent(Record, frozen=True, kw_only=True):
    """What every numbered event says.

    Attributes:
        type: the event's name, once more.
        sequence_number: from 0 and without a gap, the same in every stream of the response. Resume after it with `starting_after`.
    """

    type: str
    sequence_number: int


class ResponseSnapshot(ResponseEvent, frozen=True, kw_only=True):
    """The response as it stands: as it begins, when it goes on after a restart, and at its end."""

    response: Response


class ResponseItem(ResponseEvent, frozen=True, kw_only=True):
    """An item begins or is finished."""

    output_index: int
    item: OutputItem


class ResponsePart(ResponseEvent, frozen=True, kw_only=True):
    """A part of an item begins or is finished."""

    item_id: str
    output_index: int
    part: OutputPart


class ResponseDelta(ResponseEvent, frozen=True, kw_only=True):
    """A piece of text, or of a tool's arguments."""

    item_id: str
    output_index: int
    delta: str


class ResponseText(ResponseEvent, frozen=True, kw_only=True):
    """The whole text of a part."""

    item_id: str
    output_index: int
    text: str


class ResponseArguments(ResponseEvent, frozen=True, kw_only=True):
    """The whole arguments of a tool."""

    item_id: str
    output_index: int
    name: str
    arguments: str


class ResponsePrompt(ApprovalRequest, frozen=True, kw_only=True):
    """A prompt, in the dialect `event`. It has no number."""

    type: Literal["approval.request"]


class ResponseQuestion(ClarifyRequest, frozen=True, kw_only=True):
    """A question, in the dialect `event`. It has no number."""

    type: Literal["clarify.request"]


class ResponsePromptExpiring(Record, frozen=True, kw_only=True):
    """A prompt will expire then: soon, or later than it would have."""

    run_id: str
    request_id: str
    expires_at: float


class ResponsePromptEnded(Record, frozen=True, kw_only=True):
    """A prompt that was shown has ended."""

    run_id: str
    request_id: str
    status: ApprovalStatus
    choice: Choice | None
    decided_by: str


class ResponseRestarted(Record, frozen=True, kw_only=True):
    """What was said so far no longer counts: the model begins its answer again."""

    run_id: str


class ResponseFailure(ResponseEvent, frozen=True, kw_only=True):
    """Why the stream cannot go on, though the response may. It repeats the last number: from there it can be resumed."""

    code: str
    message: str
    param: str | None


def _both(name: str, added: Any, done: Any, first: str = "added") -> tuple[tuple[str, Any], ...]:
    return (f"response.{name}.{first}", added), (f"response.{name}.done", done)


EVENTS: Final = Stream(
    events=(
        ("response.created", ResponseSnapshot),
        ("response.in_progress", ResponseSnapshot),
        *_both("output_item", ResponseItem, ResponseItem),
        *_both("content_part", ResponsePart, ResponsePart),
        *_both("output_text", ResponseDelta, ResponseText, "delta"),
        *_both("reasoning_summary_part", ResponsePart, ResponsePart),
        *_both("reasoning_summary_text", ResponseDelta, ResponseText, "delta"),
        *_both("function_call_arguments", ResponseDelta, ResponseArguments, "delta"),
        ("approval.request", ResponsePrompt),
        ("clarify.request", ResponseQuestion),
        ("clarify.settled", ClarifySettled),
        ("approval.expiring", ResponsePromptExpiring),
        ("approval.extended", ResponsePromptExpiring),
        ("approval.responded", ResponsePromptEnded),
        ("approval.settled", ResponsePromptEnded),
        ("message.restarted", ResponseRestarted),
        ("response.completed", ResponseSnapshot),
        ("response.failed", ResponseSnapshot),
        ("response.cancelled", ResponseSnapshot),
        ("response.incomplete", ResponseSnapshot),
        ("error", ResponseFailure),
    ),
    ids=False,
)
