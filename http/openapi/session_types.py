"""What is sent to `/api/sessions` and received from there, described."""

from typing import Annotated, Any, Literal

import msgspec

from placet.actors.protocol.records import RunStatus
from placet.http.openapi import parameters as p
from placet.http.openapi.chat import AnswerMessage
from placet.http.openapi.messages import Parts, Text, ToolCall
from placet.http.openapi.records import Record, Usage
from placet.http.openapi.turn import ChatSettings, StreamOptions
from placet.http.routes.sessions import MESSAGES_MAX
from placet.http.session_request import END_REASON_MAX, TITLE_MAX

_Title = Annotated[str, msgspec.Meta(max_length=TITLE_MAX)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=10**9 - 1)]
MessageLimit = Annotated[
    int, msgspec.Meta(ge=1, le=MESSAGES_MAX, extra_json_schema={"default": MESSAGES_MAX})
]


class SessionRequest(Record, frozen=True, kw_only=True):
    """A session to be made.

    Attributes:
        id: its name; without one it gets one. `session_id` is another name for this field.
        source: a word for who made it.
    """

    id: p.NewSessionId | None = None
    title: _Title | None = None
    source: str | None = None
    system_prompt: str | None = None


class SessionChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be changed; at least one thing. Null takes a title or a reason to end away."""

    title: _Title | None = None
    end_reason: Annotated[str, msgspec.Meta(min_length=1, max_length=END_REASON_MAX)] | None = None
    archived: bool | msgspec.UnsetType = msgspec.UNSET
    pinned: bool | msgspec.UnsetType = msgspec.UNSET
    hidden: bool | msgspec.UnsetType = msgspec.UNSET
    unread: bool | msgspec.UnsetType = msgspec.UNSET


class Fork(Record, frozen=True, kw_only=True):
    """What the new session is called.

    Attributes:
        id: its name; without one it gets one. `session_id` is another name for this field.
        title: without one it has its parent's.
    """

    id: p.NewSessionId | None = None
    title: _Title | None = None


class Session(Record, frozen=True, kw_only=True):
    """A session.

    Attributes:
        user_id: the principal whose it is.
        started_at: Unix seconds.
        last_active: Unix seconds.
        ended_at: Unix seconds.
        preview: the first words that were said in it.
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
