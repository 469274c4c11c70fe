"""`/api/sessions`, described: the operations."""

from typing import Annotated, Final

import msgspec

from placet.http.openapi import parameters as p
from placet.http.openapi import session_types as t
from placet.http.openapi.codes import Error
from placet.http.openapi.log import LOG
from placet.http.openapi.messages import MESSAGES_ERRORS
from placet.http.openapi.operation import Answer, Operation, Parameter
from placet.http.openapi.records import RunControl
from placet.http.openapi.session_events import EVENTS

TAG: Final = "Sessions"

_ID_HEADERS: Final = ("X-Hermes-Session-Id", "X-Session-Id", "X-Hermes-Session-Key")
_KEY_ERRORS: Final = ("invalid_session_key", "session_header_forbidden")
_ONE: Final = ("session_not_found", "invalid_session_id")
_MAKING: Final = (*_KEY_ERRORS, "invalid_session_id", "invalid_title", "session_exists", "gateway_draining")
_CHAT_ERRORS: Final = (*MESSAGES_ERRORS, "session_not_found", "missing_message", "invalid_system_message")
_Order = Annotated[str, msgspec.Meta(extra_json_schema={"enum": ["latest", "oldest"], "default": "latest"})]
_OFFSET: Final = Parameter(
    name="offset", place="query", description="How many items are passed over.", type=t.Offset
)

OPERATIONS: Final = (
    Operation(
        name="sessions",
        method="GET",
        path="/api/sessions",
        tag=TAG,
        summary="List the sessions that you may see.",
        parameters=(
            p.LIMIT,
            _OFFSET,
            p.AFTER_ITEM,
            Parameter(name="source", place="query", description="Only those of this source."),
            Parameter(name="title", place="query", description="Only those of exactly this title."),
            Parameter(
                name="include_hidden",
                place="query",
                description="`true` or `1`: with a title, hidden ones too.",
            ),
        ),
        answers=(Answer(description="A page.", body=t.SessionList),),
        errors=("invalid_pagination",),
    ),
    Operation(
        name="session_create",
        method="POST",
        path="/api/sessions",
        tag=TAG,
        summary="Make a session.",
        parameters=(p.SESSION_KEY,),
        body=t.SessionRequest,
        answers=(Answer(description="It is made.", status=201, body=t.SessionAnswer, headers=_ID_HEADERS),),
        errors=_MAKING,
    ),
    Operation(
        name="session",
        method="GET",
        path="/api/sessions/{session_id}",
        tag=TAG,
        summary="Show a session.",
        parameters=(p.SESSION, p.SESSION_KEY),
        answers=(Answer(description="The session.", body=t.SessionAnswer, headers=_ID_HEADERS),),
        errors=(*_ONE, *_KEY_ERRORS),
    ),
    Operation(
        name="session_update",
        method="PATCH",
        path="/api/sessions/{session_id}",
        tag=TAG,
        summary="Change a session.",
        parameters=(p.SESSION, p.SESSION_KEY),
        body=t.SessionChange,
        answers=(Answer(description="The session as it is now.", body=t.SessionAnswer, headers=_ID_HEADERS),),
        errors=(
            *_ONE,
            *_KEY_ERRORS,
            "invalid_title",
            "invalid_session_field",
            "unsupported_session_field",
            "role_required",
        ),
    ),
    Operation(
        name="session_delete",
        method="DELETE",
        path="/api/sessions/{session_id}",
        tag=TAG,
        summary="Delete a session that is not at work.",
        description="Decisions that were made in it stay in the audit, and exact retries of what had ended are still answered.",
        parameters=(p.SESSION,),
        answers=(Answer(description="It is deleted.", body=t.SessionDeleted),),
        errors=(*_ONE, "role_required", "session_active_turn"),
    ),
    Operation(
        name="session_messages",
        method="GET",
        path="/api/sessions/{session_id}/messages",
        tag=TAG,
        summary="Read what was said in a session.",
        parameters=(
            p.SESSION,
            Parameter(
                name="limit",
                place="query",
                description="How many messages the page has at most.",
                type=t.MessageLimit,
            ),
            _OFFSET,
            Parameter(
                name="order",
                place="query",
                description="From which end pages are counted. The messages of a page are oldest first.",
                type=_Order,
            ),
        ),
        answers=(Answer(description="A page.", body=t.SessionMessages),),
        errors=(*_ONE, "invalid_pagination"),
    ),
    Operation(
        name="session_fork",
        method="POST",
        path="/api/sessions/{session_id}/fork",
        tag=TAG,
        summary="Go on with a session in a new one that has its messages. The old one is then ended.",
        parameters=(p.SESSION, p.SESSION_KEY),
        body=t.Fork,
        answers=(
            Answer(description="The new session.", status=201, body=t.SessionAnswer, headers=_ID_HEADERS),
        ),
        errors=(*_MAKING, "session_not_found", "role_required"),
    ),
    Operation(
        name="session_events",
        method="GET",
        path="/api/sessions/{session_id}/events",
        tag=TAG,
        summary="Follow everything in a session from any place in its log.",
        parameters=(p.SESSION, p.LAST_EVENT_ID, p.AFTER_EVENT, p.SESSION_KEY),
        answers=(Answer(description="The log, live.", stream=LOG, headers=_ID_HEADERS),),
        errors=(*_ONE, *_KEY_ERRORS, "invalid_last_event_id"),
    ),
    Operation(
        name="session_chat",
        method="POST",
        path="/api/sessions/{session_id}/chat",
        tag=TAG,
        summary="Say something in a session and wait for the whole answer.",
        parameters=(p.SESSION, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY),
        body=t.SessionChatRequest,
        answers=(
            Answer(description="The answer.", body=t.SessionChatCompletion, headers=p.ID_HEADERS),
            Answer(
                description="The run has ended without a whole answer: it failed, was stopped, or was interrupted.",
                status=502,
                body=Error,
            ),
        ),
        errors=_CHAT_ERRORS,
        submits=True,
    ),
    Operation(
        name="session_chat_stream",
        method="POST",
        path="/api/sessions/{session_id}/chat/stream",
        tag=TAG,
        summary="Say something in a session and follow what it does.",
        parameters=(p.SESSION, p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY, p.LAST_EVENT_ID),
        body=t.SessionChatRequest,
        answers=(Answer(description="The turn, as it happens.", stream=EVENTS, headers=p.ID_HEADERS),),
        errors=(*_CHAT_ERRORS, "invalid_last_event_id"),
        submits=True,
    ),
    Operation(
        name="session_queue",
        method="GET",
        path="/api/sessions/{session_id}/queue",
        tag=TAG,
        summary="List what runs and waits in a session.",
        parameters=(p.SESSION,),
        answers=(Answer(description="The queue.", body=t.Queue),),
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
