"""Cross-origin requests: who may call, what browsers are told, and that every path and every body is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from placet.http.cors import EXPOSED_HEADERS, METHODS, REQUEST_HEADERS
from placet.http.identity import SESSION_HEADERS, SESSION_KEY_HEADER
from placet.http.openapi import OPERATIONS
from tests.http.openapi.application import WITH_KEY, application
from tests.system.server import serving, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from quart import Response

PAGE = "https://page.example"
STRANGER = "https://stranger.example"
CORS = "Access-Control-"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Origin": PAGE}


async def ask(method: str, path: str, headers: dict[str, str], **settings: Any) -> Response:
    async with application(**settings) as app:
        client = app.test_client()
        response: Response = await client.open(path, method=method, headers=headers)
        return response


def cors_headers(response: Response) -> list[str]:
    return sorted(name for name, _ in response.headers if name.startswith(CORS))


async def code_of(response: Response) -> str:
    body = await response.get_json()
    code: str = body["error"]["code"]
    return code


@pytest.mark.parametrize("origin", [None, PAGE])
async def test_nothing_is_said_unless_origins_are_configured(origin: str | None) -> None:
    response = await ask("GET", "/health", {} if origin is None else {"Origin": origin})
    assert response.status_code == 200
    assert cors_headers(response) == []
    assert "Vary" not in response.headers


async def test_an_allowed_page_is_told_so() -> None:
    response = await ask("GET", "/v1/models", WITH_KEY | {"Origin": PAGE}, cors_origins=(PAGE,))
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == PAGE
    assert response.headers["Access-Control-Expose-Headers"] == ", ".join(EXPOSED_HEADERS)
    assert response.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in response.headers


async def test_a_star_allows_every_page() -> None:
    response = await ask("GET", "/health", {"Origin": STRANGER}, cors_origins=("*",))
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Vary" not in response.headers, "the answer is the same for all"


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/health", "/nowhere", "/v1/runs/x/approval"])
async def test_a_preflight_is_answered_on_every_path(path: str) -> None:
    response = await ask("OPTIONS", path, PREFLIGHT, cors_origins=(PAGE,))
    assert (response.status_code, await response.get_data(as_text=False)) == (204, b"")
    assert response.headers["Access-Control-Allow-Origin"] == PAGE
    assert response.headers["Access-Control-Allow-Methods"] == ", ".join(METHODS)
    assert response.headers["Access-Control-Allow-Headers"] == ", ".join(REQUEST_HEADERS)
    assert response.headers["Access-Control-Max-Age"] == "600"


async def test_the_headers_of_an_sdk_are_allowed_as_it_names_them() -> None:
    asked = {"Access-Control-Request-Headers": "authorization, x-stainless-os,x-stainless-lang, x-other"}
    response = await ask("OPTIONS", "/v1/chat/completions", PREFLIGHT | asked, cors_origins=(PAGE,))
    allowed = response.headers["Access-Control-Allow-Headers"].split(", ")
    assert allowed == [*REQUEST_HEADERS, "x-stainless-os", "x-stainless-lang"]


@pytest.mark.parametrize(
    "origin", [STRANGER, "null", "https://page.example:8443", "http://page.example", "", "http://["]
)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/health"), ("OPTIONS", "/v1/runs"), ("POST", "/nowhere")]
)
async def test_a_foreign_page_is_refused_on_every_path(method: str, path: str, origin: str) -> None:
    response = await ask(method, path, PREFLIGHT | {"Origin": origin}, cors_origins=(PAGE,))
    assert (response.status_code, await code_of(response)) == (403, "origin_not_allowed")
    assert cors_headers(response) == []
    assert response.headers["Vary"] == "Origin"


@pytest.mark.parametrize("origin", ["http://localhost", "https://LOCALHOST"])
async def test_the_servers_own_page_may_call(origin: str) -> None:
    response = await ask("GET", "/health", {"Origin": origin}, cors_origins=(PAGE,))
    assert response.status_code == 200


async def test_a_server_without_keys_refuses_foreign_pages_also_unconfigured() -> None:
    refused = await ask("POST", "/v1/runs", {"Origin": STRANGER}, no_auth=True)
    assert (refused.status_code, await code_of(refused)) == (403, "origin_not_allowed")
    own = await ask("GET", "/v1/models", {"Origin": "http://localhost"}, no_auth=True)
    assert own.status_code == 200


@pytest.mark.parametrize(
    "host",
    ["localhost", "LocalHost:8642", "127.0.0.1:8642", "127.255.3.4", "[::1]", "[::1]:8642", "[0:0::1]"],
)
async def test_a_server_without_keys_answers_to_the_names_of_this_machine(host: str) -> None:
    response = await ask("GET", "/v1/models", {"Host": host}, no_auth=True)
    assert response.status_code == 200


STRANGE_HOSTS = [
    "rebound.example:8642",
    "127.0.0.1.rebound.example",
    "localhost.rebound.example",
    "128.0.0.1",
    "[::2]",
    "2130706433",
    "localhost:x",
]


@pytest.mark.parametrize("host", STRANGE_HOSTS)
@pytest.mark.parametrize("path", ["/v1/models", "/health", "/nowhere"])
async def test_a_server_without_keys_answers_to_no_other_name(host: str, path: str) -> None:
    """Else a page of a stranger, whose name was made to point here, could say yes in a person's place."""
    headers = {"Host": host, "Origin": f"http://{host}"}
    response = await ask("GET", path, headers, no_auth=True, cors_origins=("*",))
    assert (response.status_code, await code_of(response)) in [
        (403, "host_not_allowed"),
        (400, "bad_request"),
    ]


async def test_a_server_with_keys_answers_to_any_name() -> None:
    assert (await ask("GET", "/v1/models", WITH_KEY | {"Host": "placet.example"})).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("PUT", "/health", 405), ("GET", "/v1/models", 401)],
)
async def test_an_allowed_page_can_read_errors(method: str, path: str, status: int) -> None:
    response = await ask(method, path, {"Origin": PAGE}, cors_origins=(PAGE,))
    assert response.status_code == status
    assert response.headers["Access-Control-Allow-Origin"] == PAGE


async def test_options_without_a_preflight_is_no_preflight() -> None:
    response = await ask("OPTIONS", "/nowhere", {"Origin": PAGE}, cors_origins=(PAGE,))
    assert response.status_code == 404


def test_every_method_and_header_in_use_is_allowed() -> None:
    headers = {
        parameter.name
        for operation in OPERATIONS
        for parameter in operation.parameters
        if parameter.place == "header"
    }
    assert headers | {"Authorization", "Content-Type"} <= set(REQUEST_HEADERS)
    assert {operation.method for operation in OPERATIONS} <= set(METHODS)
    assert {*SESSION_HEADERS, SESSION_KEY_HEADER, "Idempotency-Replayed"} <= set(EXPOSED_HEADERS)


@pytest.mark.server
@pytest.mark.slow
async def test_a_running_server_tells_pages_on_streams_and_before_them(tmp_path: Path) -> None:
    async with serving(tmp_path, cors_origins=PAGE) as server:
        async with server.api.open("OPTIONS", "/v1/chat/completions", None, PREFLIGHT) as preflight:
            assert (preflight.status, await preflight.body()) == (204, b"")
        async with server.chat("hello", {"Origin": PAGE}) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.headers["access-control-allow-origin"] == PAGE
            assert "X-Session-Id" in stream.headers["access-control-expose-headers"]
            assert text_of(await stream.rest()) == "hello"
        async with server.chat("hello", {"Origin": STRANGER}) as refused:
            assert refused.status == 403
