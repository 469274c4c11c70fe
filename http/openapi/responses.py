"""`/v1/responses`, described."""

from typing import Final, Literal

from placet.http.openapi.codes import OF_MESSAGES
from placet.http.openapi.operation import WHOSE, WHOSE_WORK, Answer, Operation
from placet.http.openapi.response_events import EVENTS, Response
from placet.http.record import Record
from placet.http.requests import parameters as p
from placet.http.requests.queries import Reading
from placet.http.responses.request import ResponseRequest

TAG: Final = "Responses"


class ResponseDeleted(Record, frozen=True, kw_only=True):
    """A response that is no longer kept."""

    id: str
    object: Literal["response"]
    deleted: Literal[True]


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
        headers=(*p.SESSION_HEADERS, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.DIALECT, p.ON_BUSY),
        body=ResponseRequest,
        answers=(
            Answer(
                description="The response, or its stream.", body=Response, stream=EVENTS, headers=WHOSE_WORK
            ),
        ),
        errors=(*OF_MESSAGES, "missing_input", "unsupported_input_item", "response_not_found"),
        submits=True,
    ),
    Operation(
        name="response",
        method="GET",
        path="/v1/responses/{run_id}",
        tag=TAG,
        summary="Read a response, or follow it from any place.",
        headers=(p.DIALECT, p.SESSION_KEY),
        query=Reading,
        answers=(
            Answer(description="The response, or its stream.", body=Response, stream=EVENTS, headers=WHOSE),
        ),
        errors=(*_SESSION_ERRORS, "invalid_params", "invalid_starting_after", "response_not_found"),
    ),
    Operation(
        name="response_delete",
        method="DELETE",
        path="/v1/responses/{run_id}",
        tag=TAG,
        summary="Keep a response no longer.",
        answers=(Answer(description="It can no longer be read.", body=ResponseDeleted),),
        errors=("response_not_found", "role_required", "session_not_found"),
    ),
    Operation(
        name="response_cancel",
        method="POST",
        path="/v1/responses/{run_id}/cancel",
        tag=TAG,
        summary="Stop a response.",
        headers=(p.DIALECT, p.SESSION_KEY),
        answers=(Answer(description="It ends, or has ended before.", body=Response, headers=WHOSE),),
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
