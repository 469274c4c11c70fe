"""The OpenAPI 3.2 document, made of described operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet import __version__
from placet.http.openapi.codes import ALWAYS, CODES, WITH_BODY, WITH_KEY, WITH_WORK, Error, error_schema
from placet.http.openapi.operation import EVENT_STREAM, JSON
from placet.http.openapi.schemas import Schemas
from placet.http.strict_json import dump_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable

    from placet.http.openapi.operation import Answer, Operation, Stream
    from placet.http.requests.parameters import Parameter

    Json = dict[str, Any]

_DESCRIPTION: Final = """\
Placet runs sessions of AI agents and lets a person decide, while the stream is open, whether a dangerous action may run.

Every refusal is JSON, `{"error": {"message", "type", "param", "code"}}`, also where a path or a method does not exist (404, 405).
A `code` is stable; a `message` is for people. 429 and 503 say in `Retry-After` when to come again; a 409 says in `x-should-retry`
that the same request will not work.

An `Idempotency-Key` makes an exact retry of a POST the same request, for a day after its work has ended: it joins that work or is
told what came of it, and `Idempotency-Replayed` says so. PATCH and DELETE need none, and neither does an answer to a prompt or to
a question, a stop or the settling of a lost run: done again they change nothing.

Fields and parameters that are not described here are ignored, except where a schema forbids them.
"""

_SECURITY: Final = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The key of the server, or one of a principal in its configuration.",
    }
}

_HEADERS: Final[Json] = {
    "X-Hermes-Session-Id": "The session that answered.",
    "X-Session-Id": "The same, under its plain name.",
    "X-Hermes-Session-Key": "The request's own, if it had one.",
    "Idempotency-Replayed": "`true` if an earlier request with this `Idempotency-Key` had been given this work.",
    "Set-Cookie": "The sign-in of the console.",
    "Retry-After": "Seconds after which the same request may work.",
    "x-should-retry": "`false`: the same request will not work.",
    "WWW-Authenticate": "How to show a key.",
}
_HEADERS_OF_STATUS: Final = {
    401: ("WWW-Authenticate",),
    409: ("x-should-retry",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


def build_document(operations: Iterable[Operation]) -> bytes:
    """The document as JSON.

    Args:
        operations: what to describe; the order is kept.
    """
    described = list(operations)
    schemas = Schemas([Error, *(kind for operation in described for kind in operation.types)])
    paths: dict[str, Json] = {}
    for operation in described:
        item = paths.setdefault(operation.path, {})
        item[operation.method.lower()] = _operation(operation, schemas)
    document: Json = {
        "openapi": "3.2.0",
        "info": {
            "title": "Placet",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server that this document comes from."}],
        "security": [{"key": []}],
        "tags": [{"name": tag} for tag in dict.fromkeys(operation.tag for operation in described)],
        "paths": paths,
        "components": {"schemas": schemas.components, "securitySchemes": _SECURITY},
    }
    return dump_ascii(document)


def _operation(operation: Operation, schemas: Schemas) -> Json:
    answers = {str(answer.status): _answer(answer, schemas) for answer in operation.answers}
    described: Json = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "responses": answers | _errors(operation),
    }
    if operation.description:
        described["description"] = operation.description
    if operation.parameters:
        described["parameters"] = [_parameter(parameter, schemas) for parameter in operation.parameters]
    if operation.body is not None:
        content = {JSON: {"schema": schemas.of(operation.body)}}
        described["requestBody"] = {"required": True, "content": content}
    if operation.public:
        described["security"] = []
    return described


def _parameter(parameter: Parameter, schemas: Schemas) -> Json:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "required": parameter.place == "path",
        "schema": schemas.of(parameter.type)
        | ({} if parameter.default is None else {"default": parameter.default}),
    }


def _answer(answer: Answer, schemas: Schemas) -> Json:
    content: Json = {}
    if answer.body is not None:
        content[JSON] = {"schema": schemas.of(answer.body)}
    if answer.stream is not None:
        content[EVENT_STREAM] = {"itemSchema": _event(answer.stream, schemas)}
    if answer.media is not None:
        content[answer.media] = {"schema": {"type": "string"}}
    described: Json = {"description": answer.description}
    if content:
        described["content"] = content
    return described | _headers(answer.headers)


def _event(stream: Stream, schemas: Schemas) -> Json:
    """The schema of one event: which data comes under which name."""
    kinds = [_named_event(name, schemas.of(kind), ids=stream.ids) for name, kind in stream.events]
    if stream.last is not None:
        last = {"data": {"const": stream.last}, "event": {"const": "message"}}
        kinds.append({"description": "The end.", "required": ["data"], "properties": last})
    return {"type": "object", "anyOf": kinds}


def _named_event(name: str, schema: Json, *, ids: bool) -> Json:
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": schema}
    properties: Json = {"data": data, "event": {"const": name}}
    if ids:
        properties["id"] = {"type": "string", "description": "Resume after it with `Last-Event-ID`."}
    if name == "message":  # what a reader calls an event that has no name
        return {"required": ["data"], "properties": properties}
    return {"required": ["event", "data"], "properties": properties}


def _errors(operation: Operation) -> Json:
    codes = {*ALWAYS, *operation.errors}
    codes |= set() if operation.public else set(WITH_KEY)
    codes |= set() if operation.body is None else set(WITH_BODY)
    codes |= set(WITH_WORK) if operation.submits else set()
    by_status: dict[int, list[str]] = {}
    for code in sorted(codes):
        by_status.setdefault(CODES[code].status, []).append(code)
    return {str(status): _error(status, by_status[status]) for status in sorted(by_status)}


def _error(status: int, codes: list[str]) -> Json:
    described: Json = {
        "description": "\n".join(f"* `{code}`: {CODES[code].meaning}." for code in codes),
        "content": {JSON: {"schema": error_schema(codes)}},
    }
    return described | _headers(_HEADERS_OF_STATUS.get(status, ()))


def _headers(names: Iterable[str]) -> Json:
    headers = {name: {"description": _HEADERS[name], "schema": {"type": "string"}} for name in names}
    return {"headers": headers} if headers else {}
