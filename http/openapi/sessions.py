"""`/api/sessions`, described."""

from typing import Annotated, Final, Literal

import msgspec

from placet.actors.protocol.records import RunStatus
from placet.http.openapi import parameters as p
from placet.http.openapi.messages import Parts, Text
from placet.http.openapi.operation import Answer, Operation
from placet.http.openapi.records import Record, RunControl
from placet.http.openapi.session_events import EVENTS
from placet.http.openapi.turn import ChatSettings, StreamOptions
from placet.http.routes.sessions import TITLE_MAX

TAG: Final = "Sessions"


class SessionRequest(Record, frozen=True, kw_only=True):
    """A session to be made.

    Attributes:
        id: its name; without one it gets one. `session_id` is another name for this field.
        source: a word for who made it.
    """

    id: p.NewSessionId | None = None
    title: Annotated[str, msgspec.Meta(max_length=TITLE_MAX)] | None = None
    source: str | None = None
    system_prompt: str | None = None


class Session(Record, frozen=True, kw_only=True):
    """A session.

    Attributes:
        started_at: Unix seconds.
        last_active: Unix seconds.
        execution_generation: how many turns were started in it.
        revision: the number of its newest event.
        has_system_prompt: whether it has one; the prompt itself is not shown.
    """

    id: str
    source: str
    title: str | None
    started_at: float
    last_active: float
    execution_generation: int
    revision: int
    has_system_prompt: bool


class SessionAnswer(Record, frozen=True, kw_only=True):
    """The session that was made."""

    object: Literal["hermes.session"]
    session: Session


class SessionChatRequest(ChatSettings, frozen=True, kw_only=True):
    """What is said to a session; its own history counts.

    Attributes:
        message: what a person says. `input` is another name for this field.
        system_message: what the agent is to go by. `instructions` is another name for this field.
    """

    message: Text | Parts
    system_message: str | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class QueuedInput(Record, frozen=True, kw_only=True):
    """An input that runs or waits.

    Attributes:
        ahead: how many come before it.
        created_at: Unix seconds.
    """

    object: Literal["hermes.session.queued"]
    admission_id: str
    run_id: str
    session_id: str
    status: RunStatus
    ahead: int
    surface: str
    input: str
    created_at: float


class Queue(Record, frozen=True, kw_only=True):
    """What runs and what waits, in order."""

    object: Literal["list"]
    data: list[QueuedInput]
    has_more: bool


OPERATIONS: Final = (
    Operation(
        name="session_create",
        method="POST",
        path="/api/sessions",
        tag=TAG,
        summary="Make a session.",
        parameters=(p.SESSION_KEY,),
        body=SessionRequest,
        answers=(
            Answer(
                description="It is made.",
                status=201,
                body=SessionAnswer,
                headers=("X-Hermes-Session-Id", "X-Session-Id"),
            ),
        ),
        errors=(
            "invalid_session_id",
            "invalid_session_key",
            "invalid_title",
            "session_exists",
            "session_header_forbidden",
            "gateway_draining",
        ),
    ),
    Operation(
        name="session_chat_stream",
        method="POST",
        path="/api/sessions/{session_id}/chat/stream",
        tag=TAG,
        summary="Say something in a session and follow what it does.",
        parameters=(p.SESSION, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY),
        body=SessionChatRequest,
        answers=(Answer(description="The turn, as it happens.", stream=EVENTS, headers=p.ID_HEADERS),),
        errors=(
            "session_not_found",
            "missing_message",
            "no_user_message",
            "invalid_content_part",
            "invalid_image_url",
            "invalid_system_message",
            "unsupported_content_type",
            "unsupported_parameter",
        ),
        submits=True,
    ),
    Operation(
        name="session_queue",
        method="GET",
        path="/api/sessions/{session_id}/queue",
        tag=TAG,
        summary="List what runs and waits in a session.",
        parameters=(p.SESSION,),
        answers=(Answer(description="The queue.", body=Queue),),
        errors=("session_not_found", "invalid_session_id"),
    ),
    Operation(
        name="session_queue_withdraw",
        method="DELETE",
        path="/api/sessions/{session_id}/queue/{admission_id}",
        tag=TAG,
        summary="Withdraw an input that waits.",
        parameters=(p.SESSION, p.ADMISSION),
        answers=(Answer(description="It is withdrawn, or had ended before.", body=RunControl),),
        errors=(
            "session_not_found",
            "invalid_session_id",
            "admission_not_found",
            "role_required",
            "already_started",
            "unknown_execution",
        ),
    ),
)
