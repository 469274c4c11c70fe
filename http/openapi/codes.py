"""The stable words of errors: with which status each comes and what it means."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from placet.http.record import Record


class ErrorObject(Record, frozen=True, kw_only=True):
    """What went wrong. Some errors have further fields, such as `decision`, the decision that won.

    Attributes:
        message: for a person. It holds no secret and no path of the server's machine.
        type: the wide word that SDKs sort errors by.
        param: the field, header or parameter that it is about.
        code: the stable word that a client may branch on.
    """

    message: str
    type: str
    param: str | None
    code: str


class Error(Record, frozen=True, kw_only=True):
    """The body of every answer that is not a good one."""

    error: ErrorObject


class Code(msgspec.Struct, frozen=True):
    """An error's word.

    Attributes:
        status: of the response.
        meaning: in a sentence.
    """

    status: int
    meaning: str


_TABLE: Final[dict[int, dict[str, str]]] = {
    400: {
        "bad_request": "the request is no HTTP that the server understands",
        "invalid_answer": "the answer is none of the question's choices",
        "invalid_body": "the body says that it is gzip, and is not",
        "invalid_choice": "the prompt does not offer this choice",
        "invalid_content_length": "`Content-Length` is no number",
        "invalid_content_part": "a part of a message's content has the wrong shape",
        "invalid_idempotency_key": "an `Idempotency-Key` is 1 to 255 visible ASCII characters",
        "invalid_image_url": "an image's address is neither `http(s):` nor `data:image/`",
        "invalid_json": "the body is no JSON object, is nested too deeply, or holds a key twice",
        "invalid_message": "a message has an unknown role or the wrong shape",
        "invalid_params": "a field or parameter has the wrong type or value",
        "invalid_session_field": "a field of a session has the wrong type or value, or nothing is to be changed",
        "invalid_session_id": "a session's id is not safe in a path, or two are named",
        "invalid_session_key": "a session key has at most 256 characters, none a control character",
        "invalid_starting_after": "no event of this response has had this number",
        "invalid_steer_input": "a run is told one text under one of the names `input`, `message` and `text`",
        "invalid_system_message": "the system message is no string",
        "last_message_not_user": "the last message must be the user's, for it is what is answered",
        "invalid_last_event_id": "no event of this stream has this id",
        "missing_input": "there is no input",
        "missing_message": "there is no message",
        "no_user_message": "there is no message of a user, or it says nothing",
        "unsupported_content_type": "only text and images can be content",
        "unsupported_input_item": "an item of the input is of a type that cannot be taken",
        "unsupported_parameter": "a parameter asks for what cannot be done and would change the answer",
        "unsupported_session_field": "this of a session cannot be changed",
        "invalid_pagination": "`limit` is no number within its bounds",
        "invalid_title": "a title has at most 100 characters",
    },
    401: {"gateway_auth_failed": "the key is missing or wrong"},
    403: {
        "host_not_allowed": "a server without keys was called by a name that is not this machine's own",
        "origin_not_allowed": "pages of this origin may not call this server",
        "role_required": "the principal may see this but not do that",
        "self_approval_forbidden": "on this server nobody decides what they themselves submitted",
        "session_header_forbidden": "a server without keys lets nobody name a session",
    },
    404: {
        "approval_not_found": "there is no such prompt, or one that you may not see",
        "admission_not_found": "there is no such input in this session",
        "link_not_found": "this is no answer link of this server, or it is forgotten",
        "file_not_found": "the console has no such file",
        "response_not_found": "there is no such response, or one that you may not see",
        "rule_not_found": "there is no such rule, or one that you may not see",
        "run_not_found": "there is no such run, or one that you may not see",
        "session_not_found": "there is no such session, or one that you may not see",
    },
    409: {
        "already_resolved": "the prompt was decided before; `error.decision` says how",
        "already_started": "the input is no longer in the queue: it runs, or has run",
        "ambiguous_approval": "the run has opened more than one prompt: name one by `request_id`",
        "approval_expired": "the prompt expired; the action was not run",
        "approval_never_expires": "the prompt waits without limit as it is",
        "approval_not_pending": "no such prompt of this run waits for an answer",
        "idempotency_key_conflict": "the `Idempotency-Key` was used for another request",
        "link_expired": "the answer link's time is over; the prompt may still wait",
        "not_found": "the admission is not this run's",
        "run_not_accepting_steer": "the run does not run, is being stopped, or waits for a person",
        "session_active_turn": "the session is at work",
        "session_busy": "the session is at work and the request asked not to wait",
        "session_exists": "there is a session of this id",
        "stale_action": "the action is not the one that was shown",
        "stale_generation": "the prompt was shown under another generation",
        "steer_not_accepted": "the run has not read what it was told before",
        "unknown_execution": "what the run had done when the server went down is not known",
    },
    413: {"body_too_large": "the body is larger than the server takes"},
    415: {"unsupported_media_type": "the charset is not UTF-8, or the content coding is not gzip"},
    429: {
        "queue_full": "the session's queue is full",
        "rate_limit_exceeded": "the server runs as many turns as it may",
        "sign_in_slowed": "too many wrong keys or links came from this address in the last minute",
    },
    500: {"internal_error": "something went wrong inside the server"},
    503: {
        "gateway_draining": "the server is shutting down and takes no new work",
        "session_unavailable": "the session did not answer in time",
        "storage_unavailable": "the disk refused; nothing of the request is done",
    },
}

CODES: Final[dict[str, Code]] = {
    code: Code(status, meaning) for status, codes in _TABLE.items() for code, meaning in codes.items()
}
"""Every word that an operation may refuse with."""

ALWAYS: Final = (
    "bad_request",
    "host_not_allowed",
    "origin_not_allowed",
    "internal_error",
    "session_unavailable",
    "storage_unavailable",
)
"""What any operation may answer."""

WITH_KEY: Final = ("gateway_auth_failed",)
"""What an operation that needs a key may answer beside that."""

WITH_BODY: Final = (
    "invalid_json",
    "invalid_params",
    "invalid_body",
    "invalid_content_length",
    "body_too_large",
    "unsupported_media_type",
)
"""What an operation that reads a body may answer beside that."""

WITH_WORK: Final = (
    "invalid_idempotency_key",
    "invalid_session_id",
    "invalid_session_key",
    "session_header_forbidden",
    "idempotency_key_conflict",
    "session_busy",
    "unknown_execution",
    "queue_full",
    "rate_limit_exceeded",
    "gateway_draining",
)
"""What an operation that submits work may answer beside that."""

OF_ONCE: Final = (
    "invalid_idempotency_key",
    "idempotency_key_conflict",
    "invalid_session_key",
    "session_header_forbidden",
)
"""What an operation that takes an `Idempotency-Key` and admits nothing may answer beside that."""

OF_MESSAGES: Final = (
    "no_user_message",
    "last_message_not_user",
    "invalid_message",
    "invalid_content_part",
    "invalid_image_url",
    "unsupported_content_type",
    "unsupported_parameter",
)
"""What a conversation and its settings may be refused with."""


def error_schema(codes: list[str]) -> dict[str, Any]:
    """The schema of an error that has one of these codes."""
    code = {"properties": {"code": {"enum": codes}}}
    return {"allOf": [{"$ref": "#/components/schemas/Error"}, {"properties": {"error": code}}]}
