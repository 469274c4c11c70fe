"""The OpenAPI document: it describes every route of the application, and nothing else, and holds together."""

from __future__ import annotations

import ast
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from placet.http.openapi import OPERATIONS, build_document, routes_of
from placet.http.openapi.codes import CODES
from placet.http.openapi.operation import Operation
from tests.http.openapi.application import application

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]

each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(build_document(OPERATIONS))
    return found


def nodes(value: Any) -> Iterator[Any]:
    """The value and all that is in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        yield from nodes(item)


def described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = document()["paths"][operation.path][operation.method.lower()]
    return found


async def test_every_route_is_described_and_nothing_else() -> None:
    async with application() as app:
        assert routes_of(app) == {operation.route for operation in OPERATIONS}


async def test_the_server_gives_the_document_to_anybody() -> None:
    async with application() as app:
        response = await app.test_client().get("/openapi.json")
        assert (response.status_code, response.content_type) == (200, "application/json")
        assert json.loads(await response.get_data(as_text=False)) == document()


def test_names_are_unique() -> None:
    names = Counter(operation.name for operation in OPERATIONS)
    assert [name for name, count in names.items() if count > 1] == []


def test_it_says_which_version_of_the_format_it_is() -> None:
    assert document()["openapi"] == "3.2.0"


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    prefix = "#/components/schemas/"
    references = {node["$ref"] for node in nodes(document()) if isinstance(node, dict) and "$ref" in node}
    assert references == {prefix + name for name in document()["components"]["schemas"]}


def test_every_component_says_what_it_is() -> None:
    components = document()["components"]["schemas"]
    assert [name for name, schema in components.items() if not schema.get("description")] == []


def test_the_words_of_a_docstring_stand_at_their_properties() -> None:
    approval = document()["components"]["schemas"]["Approval"]
    assert approval["description"] == "A prompt and how it stands."
    assert (
        approval["properties"]["decided_by"]["description"] == "The principal, or `rule:` and the rule's id."
    )
    inherited = approval["properties"]["digest"]
    assert inherited == {"type": "string", "description": "Binds a decision to this very action."}


@each_operation
def test_variables_of_the_path_are_parameters(operation: Operation) -> None:
    variables = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    assert [item.name for item in operation.parameters if item.place == "path"] == variables


@each_operation
def test_a_body_is_required(operation: Operation) -> None:
    assert ("requestBody" in described(operation)) is (operation.body is not None)
    assert described(operation).get("requestBody", {"required": True})["required"] is True


@each_operation
def test_a_key_is_asked_for_unless_it_is_public(operation: Operation) -> None:
    responses = described(operation)["responses"]
    takes_one = "gateway_auth_failed" in operation.errors  # in its body, where a wrong one is refused as well
    assert ("401" in responses) is (takes_one or not operation.public)
    assert (described(operation).get("security") == []) is operation.public


@each_operation
def test_errors_come_with_their_codes(operation: Operation) -> None:
    for status, answer in described(operation)["responses"].items():
        codes = [code for code, known in CODES.items() if f"`{code}`" in answer["description"]]
        assert all(CODES[code].status == int(status) for code in codes)
        if status >= "400" and status != "502":
            schema = answer["content"]["application/json"]["schema"]["allOf"][1]
            assert sorted(codes) == schema["properties"]["error"]["properties"]["code"]["enum"]


def test_events_of_a_stream_are_described_one_by_one() -> None:
    chat = document()["paths"]["/v1/chat/completions"]["post"]["responses"]["200"]["content"]
    events = chat["text/event-stream"]["itemSchema"]["anyOf"]
    prompt = next(event for event in events if event["properties"]["event"]["const"] == "approval.request")
    assert prompt["required"] == ["event", "data"]
    assert prompt["properties"]["data"] == {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": "#/components/schemas/ApprovalRequest"},
    }
    assert "id" not in prompt["properties"], "the chat stream has no ids"
    assert events[-1]["properties"]["data"] == {"const": "[DONE]"}


def frames_of(path: Path) -> set[str]:
    """Words of a source file that look like an event's name."""
    texts = {
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    kinds = (
        "session.",
        "run.",
        "message.",
        "tool.",
        "approval.",
        "assistant.",
        "reasoning.",
        "replay.",
        "inbox.",
    )
    return {text for text in texts if text.startswith(kinds) and " " not in text}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("session_stream.py", "/api/sessions/{session_id}/chat/stream"),
        ("run_stream.py", "/v1/runs/{run_id}/events"),
        ("inbox.py", "/v1/approvals/events"),
    ],
)
def test_every_event_that_a_renderer_names_is_described(source: str, path: str) -> None:
    method = "POST" if path.endswith("stream") else "GET"
    operation = next(each for each in OPERATIONS if (each.method, each.path) == (method, path))
    stream = operation.answers[0].stream
    assert stream is not None
    assert frames_of(ROOT / "http" / source) <= {name for name, _ in stream.events}


def test_every_code_that_the_wire_raises_is_explained() -> None:
    raised = {
        keyword.value.value
        for path in (ROOT / "http").rglob("*.py")
        if path.parent.name not in {"ws", "client", "cli"}  # of JSON-RPC, which have no status; of a client
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
    }
    at_start = {
        "data_dir_unavailable",
        "duplicate_key",
        "insecure_api_key",
        "invalid_api_key",
        "invalid_config",
        "missing_api_key",
    }
    assert raised - at_start <= set(CODES)
