"""The envelope: JSON-RPC 2.0 as text in and text out. Pure."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from placet.actors.protocol.errors import (
    Draining,
    InvalidInput,
    NotAllowed,
    NotFound,
    PlacetError,
    StoreUnavailable,
)
from placet.http.strict_json import dump_ascii, parse_object

PROTOCOL: Final = "hermes-gateway-v1"
"""The subprotocol, by the name that clients know."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INTERNAL_ERROR: Final = -32603
"""The specification's own codes."""

REFUSED: Final = 4001
STORAGE_FAILED: Final = 5001
"""What a method refuses, and what the disk refuses; `reason` says it in a word."""

_REASONS: Final[dict[type[PlacetError], str]] = {
    NotFound: "not_found",
    NotAllowed: "permission_denied",
    Draining: "runtime_draining",
}
"""Where the word on this surface is wider than the error's own code, which goes along as `code`."""

RpcId = str | int | float | None


class Call(msgspec.Struct, frozen=True):
    """One request.

    Attributes:
        id: what its answer is marked with.
        wants_answer: whether it is answered at all; a notification is not.
        method: what is to be done.
        params: with what, as it came; its method says what it must be.
    """

    id: RpcId
    wants_answer: bool
    method: str
    params: object


class Malformed(Exception):
    """A frame that is no request.

    Attributes:
        frame: the answer to it.
    """

    def __init__(self, code: int, message: str, call_id: RpcId = None) -> None:
        super().__init__(message)
        self.frame = _error(call_id, code, message, {"reason": "invalid_request", "message": message})


def parse_call(data: str | bytes) -> Call:
    """The request in a frame.

    Args:
        data: the frame, whatever it holds.

    Raises:
        Malformed: it is no JSON object, or no JSON-RPC 2.0 request.
    """
    try:
        body = parse_object(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    except InvalidInput as error:
        raise Malformed(PARSE_ERROR, error.message) from error
    call_id, method = body.get("id"), body.get("method")
    if isinstance(call_id, bool) or not isinstance(call_id, str | int | float | None):
        raise Malformed(INVALID_REQUEST, "`id` is a string, a number or null.")
    if body.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Malformed(INVALID_REQUEST, 'A request has `"jsonrpc": "2.0"` and a `method`.', call_id)
    return Call(call_id, "id" in body, method, {} if body.get("params") is None else body["params"])


def result_frame(call_id: RpcId, result: object) -> str:
    """The answer to a request that was carried out."""
    return _text({"jsonrpc": "2.0", "id": call_id, "result": result})


def error_frame(call_id: RpcId, error: PlacetError) -> str:
    """The answer to a request that was refused.

    `message` and `data.reason` are the word for it; `data.code` the one that it has over HTTP, `data.message` the sentence.
    """
    reason = next((word for kind, word in _REASONS.items() if isinstance(error, kind)), error.code)
    data: dict[str, Any] = {**error.detail, "reason": reason, "code": error.code, "message": error.message}
    if error.param is not None:
        data["param"] = error.param
    if error.retry_after_s is not None:
        data["retry_after_s"] = error.retry_after_s
    return _error(call_id, STORAGE_FAILED if isinstance(error, StoreUnavailable) else REFUSED, reason, data)


def unknown_method_frame(call_id: RpcId) -> str:
    """The answer to a request for a method that does not exist."""
    return _error(call_id, METHOD_NOT_FOUND, "method_not_found", {"reason": "method_not_found"})


def internal_error_frame(call_id: RpcId) -> str:
    """The answer to a request that nobody expected to fail."""
    return _error(call_id, INTERNAL_ERROR, "internal_error", {"reason": "internal_error"})


def event_frame(params: bytes) -> str:
    """An event whose parameters are encoded already."""
    return (b'{"jsonrpc":"2.0","method":"event","params":%s}' % params).decode()


def _error(call_id: RpcId, code: int, message: str, data: dict[str, Any]) -> str:
    return _text({"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message, "data": data}})


def _text(value: object) -> str:
    return dump_ascii(value).decode()
