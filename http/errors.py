"""From error to response: the only place that knows which status an error has, and its JSON form."""

from __future__ import annotations

import logging
import math
import re
from typing import Any, cast

from quart import Quart, Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from placet.actors.protocol.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    PlacetError,
    TooLarge,
    TooMany,
    Unavailable,
)
from placet.http.strict_json import dump_ascii

_STATUS: dict[type[PlacetError], int] = {
    InvalidInput: 400,
    NotAuthenticated: 401,
    NotAllowed: 403,
    NotFound: 404,
    Conflict: 409,
    TooLarge: 413,
    TooMany: 429,
    Unavailable: 503,
    PlacetError: 500,
}
_STATUS_OF_CODE = {"unsupported_media_type": 415}
"""Codes whose status is not that of their class."""

_TYPE = {401: "gateway_auth_error", 403: "permission_error", 429: "rate_limit_error"}
"""The wide word that SDKs sort errors by; `server_error` from 500 up, else `invalid_request_error`."""

_CODE_OF_STATUS = {401: "gateway_auth_failed", 413: "body_too_large", 415: "unsupported_media_type"}
"""Where the framework's refusal means the same as ours; else the status's own name in lower case."""

_RETRY_AFTER_S = 1.0
"""Told with 429 and 503 if the error does not know better: the shortest wait that the header can say."""

_MESSAGE = {
    400: "The request is malformed.",
    404: "There is nothing at this path.",
    405: "This path does not take this method.",
    408: "The request took too long to arrive.",
    413: "The body is too large.",
}
_INTERNAL = "Something went wrong inside the server. It was logged; nothing more is known here."

_log = logging.getLogger(__name__)


def status_of(error: PlacetError) -> int:
    """The HTTP status of an error."""
    nearest = next(kind for kind in type(error).__mro__ if kind in _STATUS)
    return _STATUS_OF_CODE.get(error.code, _STATUS[nearest])


def error_object(error: PlacetError) -> dict[str, Any]:
    """What stands under `error`: `message`, `type`, `param`, `code`, then the error's own details. Also sent in streams."""
    return _object(error, status_of(error))


def error_response(error: PlacetError | HTTPException) -> Response:
    """The whole response to an error, ours or the framework's: status, JSON body, and headers that say what to do next.

    `Allow` with 405; `Retry-After` in whole seconds, at least 1, with 429 and 503; `x-should-retry: false` with 409, which
    SDKs would otherwise send again; `WWW-Authenticate` with 401.
    """
    if isinstance(error, HTTPException):
        return _response_of_framework(error)
    return _response(error, status_of(error))


def response_to(error: Exception) -> Response:
    """The response to whatever a handler raised; of a group, to the first in it that was to be expected.

    What nobody expected is logged with its traceback and shown as `internal_error`, without a word of what it was.
    """
    expected = _expected(error)
    if expected is not None:
        return error_response(expected)
    _log.error("Unexpected error in a request.", exc_info=error)
    return error_response(PlacetError(_INTERNAL))


def register_error_handlers(app: Quart) -> None:
    """Answer every error of `app` by `response_to`: ours, the framework's own, and those that nobody expected.

    The handler is an async function because the framework would run a plain one in a thread.
    """

    async def respond(error: Exception) -> Response:
        return response_to(error)

    for kind in (PlacetError, HTTPException, Exception):
        app.register_error_handler(kind, respond)


def _expected(error: Exception) -> PlacetError | HTTPException | None:
    if isinstance(error, ExceptionGroup):
        children = cast("ExceptionGroup[Exception]", error).exceptions
        return next((found for child in children if (found := _expected(child)) is not None), None)
    return error if isinstance(error, PlacetError | HTTPException) else None


def _response_of_framework(error: HTTPException) -> Response:
    status = error.code or 500
    if status >= 500:
        return _response(PlacetError(_INTERNAL), status)
    code = _CODE_OF_STATUS.get(status) or re.sub(r"[^a-z]+", "_", error.name.lower())
    response = _response(PlacetError(_MESSAGE.get(status, f"{error.name}."), code=code), status)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _object(error: PlacetError, status: int) -> dict[str, Any]:
    kind = "server_error" if status >= 500 else _TYPE.get(status, "invalid_request_error")
    return {"message": error.message, "type": kind, "param": error.param, "code": error.code, **error.detail}


def _response(error: PlacetError, status: int) -> Response:
    body = dump_ascii({"error": _object(error, status)})
    response = Response(body, status=status, content_type="application/json")
    if error.retry_after_s is not None or status in (429, 503):
        seconds = _RETRY_AFTER_S if error.retry_after_s is None else error.retry_after_s
        response.headers["Retry-After"] = str(max(1, math.ceil(seconds)))
    if status == 409:
        response.headers["x-should-retry"] = "false"
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response
