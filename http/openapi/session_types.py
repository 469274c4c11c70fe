"""What is received from `/api/sessions`, described."""

from typing import Any, Literal

from placet.actors.protocol.records import RunStatus
from placet.http.openapi.chat import AnswerMessage
from placet.http.openapi.records import Usage
from placet.http.record import Record
from placet.http.requests.shapes import ToolCall


class Session(Record, frozen=True, kw_only=True):
    """A session.

    Attributes:
        user_id: the principal whose it is.
        started_at: Unix seconds.
        last_active: Unix seconds.
        ended_at: Unix seconds.
        preview: the first words that were said in it.
        status: where the run stands that works or waits in it; `idle` if none does.
        queued: inputs that wait.
        execution_generation: how many turns were started in it.
        revision: the number of its newest event.
        has_system_prompt: whether it has one; the prompt itself is not shown.
    """

    id: str
    source: str
    user_id: str
    title: str | None
    started_at: float
    last_active: float
    ended_at: float | None
    end_reason: str | None
    parent_session_id: str | None
    message_count: int
    input_tokens: int
    output_tokens: int
    preview: str | None
    status: Literal["idle", "queued", "running", "waiting_for_approval", "stopping", "unknown"]
    queued: int
    pinned: bool
    archived: bool
    hidden: bool
    unread: bool
    execution_generation: int
    revision: int
    has_system_prompt: bool


class SessionAnswer(Record, frozen=True, kw_only=True):
    """A session as it stands now."""

    object: Literal["hermes.session"]
    session: Session


class SessionList(Record, frozen=True, kw_only=True):
    """A page of sessions, the last active first."""

    object: Literal["list"]
    data: list[Session]
    limit: int
    offset: int
    has_more: bool


class SessionDeleted(Record, frozen=True, kw_only=True):
    """A session that is no more."""

    object: Literal["hermes.session.deleted"]
    id: str
    deleted: Literal[True]


class SessionMessage(Record, frozen=True, kw_only=True):
    """A message of a conversation.

    Attributes:
        content: text, or parts if not all of it is text.
        timestamp: Unix seconds.
    """

    id: str
    session_id: str
    admission_id: str | None
    role: str
    content: str | list[dict[str, Any]]
    tool_calls: list[ToolCall] | None
    tool_call_id: str | None
    tool_name: str | None
    timestamp: float


class Pagination(Record, frozen=True, kw_only=True):
    """Which page it is."""

    limit: int
    offset: int
    order: Literal["latest", "oldest"]
    returned: int


class SessionMessages(Record, frozen=True, kw_only=True):
    """A page of a conversation, oldest first."""

    object: Literal["list"]
    session_id: str
    data: list[SessionMessage]
    pagination: Pagination
    has_more: bool


class SessionChatCompletion(Record, frozen=True, kw_only=True):
    """A whole answer."""

    object: Literal["hermes.session.chat.completion"]
    session_id: str
    run_id: str
    status: Literal["completed"]
    message: AnswerMessage
    usage: Usage


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
