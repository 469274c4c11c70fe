"""`/api/sessions`, described: the operations."""

from typing import Final

from placet.http.chat_request import SessionChatRequest
from placet.http.openapi import session_types as t
from placet.http.openapi.codes import OF_MESSAGES, OF_ONCE, Error
from placet.http.openapi.log import LOG
from placet.http.openapi.operation import WHOSE, WHOSE_WORK, Answer, Operation
from placet.http.openapi.records import RunControl
from placet.http.openapi.session_events import EVENTS
from placet.http.requests import parameters as p
from placet.http.requests.queries import MessagesPage, SessionsPage, Since
from placet.http.session_request import Fork, SessionChange, SessionRequest

TAG: Final = "Sessions"

_KEY_ERRORS: Final = ("invalid_session_key", "session_header_forbidden")
_ONE: Final = ("session_not_found", "invalid_session_id")
_MAKING: Final = (*OF_ONCE, "invalid_session_id", "invalid_title", "session_exists", "gateway_draining")
_CHAT_ERRORS: Final = (*OF_MESSAGES, "session_not_found", "missing_message", "invalid_system_message")

OPERATIONS: Final = (
    Operation(
        name="sessions",
        method="GET",
        path="/api/sessions",
        tag=TAG,
        summary="List the sessions that you may see.",
        query=SessionsPage,
        answers=(Answer(description="A page.", body=t.SessionList),),
        errors=("invalid_pagination", "invalid_params"),
    ),
    Operation(
        name="session_create",
        method="POST",
        path="/api/sessions",
        tag=TAG,
        summary="Make a session.",
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY),
        body=SessionRequest,
        answers=(Answer(description="It is made.", status=201, body=t.SessionAnswer, headers=WHOSE_WORK),),
        errors=_MAKING,
    ),
    Operation(
        name="session",
        method="GET",
        path="/api/sessions/{session_id}",
        tag=TAG,
        summary="Show a session.",
        headers=(p.SESSION_KEY,),
        answers=(Answer(description="The session.", body=t.SessionAnswer, headers=WHOSE),),
        errors=(*_ONE, *_KEY_ERRORS),
    ),
    Operation(
        name="session_update",
        method="PATCH",
        path="/api/sessions/{session_id}",
        tag=TAG,
        summary="Change a session.",
        headers=(p.SESSION_KEY,),
        body=SessionChange,
        answers=(Answer(description="The session as it is now.", body=t.SessionAnswer, headers=WHOSE),),
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
        answers=(Answer(description="It is deleted.", body=t.SessionDeleted),),
        errors=(*_ONE, "role_required", "session_active_turn"),
    ),
    Operation(
        name="session_messages",
        method="GET",
        path="/api/sessions/{session_id}/messages",
        tag=TAG,
        summary="Read what was said in a session.",
        query=MessagesPage,
        answers=(Answer(description="A page.", body=t.SessionMessages),),
        errors=(*_ONE, "invalid_pagination"),
    ),
    Operation(
        name="session_fork",
        method="POST",
        path="/api/sessions/{session_id}/fork",
        tag=TAG,
        summary="Go on with a session in a new one that has its messages. The old one is then ended.",
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY),
        body=Fork,
        answers=(
            Answer(description="The new session.", status=201, body=t.SessionAnswer, headers=WHOSE_WORK),
        ),
        errors=(*_MAKING, "session_not_found", "role_required"),
    ),
    Operation(
        name="session_events",
        method="GET",
        path="/api/sessions/{session_id}/events",
        tag=TAG,
        summary="Follow everything in a session from any place in its log.",
        headers=(p.LAST_EVENT_ID, p.SESSION_KEY),
        query=Since,
        answers=(Answer(description="The log, live.", stream=LOG, headers=WHOSE),),
        errors=(*_ONE, *_KEY_ERRORS, "invalid_last_event_id"),
    ),
    Operation(
        name="session_chat",
        method="POST",
        path="/api/sessions/{session_id}/chat",
        tag=TAG,
        summary="Say something in a session and wait for the whole answer.",
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY),
        body=SessionChatRequest,
        answers=(
            Answer(description="The answer.", body=t.SessionChatCompletion, headers=WHOSE_WORK),
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
        headers=(p.SESSION_KEY, p.IDEMPOTENCY_KEY, p.ON_BUSY, p.LAST_EVENT_ID),
        body=SessionChatRequest,
        answers=(Answer(description="The turn, as it happens.", stream=EVENTS, headers=WHOSE_WORK),),
        errors=(*_CHAT_ERRORS, "invalid_last_event_id"),
        submits=True,
    ),
    Operation(
        name="session_queue",
        method="GET",
        path="/api/sessions/{session_id}/queue",
        tag=TAG,
        summary="List what runs and waits in a session.",
        answers=(Answer(description="The queue.", body=t.Queue),),
        errors=("session_not_found", "invalid_session_id"),
    ),
    Operation(
        name="session_queue_withdraw",
        method="DELETE",
        path="/api/sessions/{session_id}/queue/{admission_id}",
        tag=TAG,
        summary="Withdraw an input that waits.",
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
