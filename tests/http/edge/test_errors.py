"""Every error is JSON, on every path and method."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from quart import Response, abort
from werkzeug.exceptions import HTTPException, default_exceptions

from placet.actors.protocol import errors as e
from placet.http.errors import error_object, error_response, status_of
from placet.http.headers import SECURITY_HEADERS
from placet.http.json_app import JsonApp

STATUS = [
    (e.InvalidInput("m"), 400, "invalid_params", "invalid_request_error"),
    (
        e.InvalidInput("m", code="unsupported_media_type"),
        415,
        "unsupported_media_type",
        "invalid_request_error",
    ),
    (e.NotAuthenticated("m"), 401, "gateway_auth_failed", "gateway_auth_error"),
    (e.NotAllowed("m"), 403, "role_required", "permission_error"),
    (e.NotFound("m", code="run_not_found"), 404, "run_not_found", "invalid_request_error"),
    (e.Conflict("m", code="stale_generation"), 409, "stale_generation", "invalid_request_error"),
    (e.TooLarge("m"), 413, "body_too_large", "invalid_request_error"),
    (e.TooMany("m"), 429, "rate_limit_exceeded", "rate_limit_error"),
    (e.Unavailable("m"), 503, "unavailable", "server_error"),
    (e.Draining("m"), 503, "gateway_draining", "server_error"),
    (e.StoreUnavailable("m"), 503, "storage_unavailable", "server_error"),
    (e.ActorStopped("m"), 503, "session_unavailable", "server_error"),
    (e.MailboxFull("m"), 503, "session_unavailable", "server_error"),
    (e.AskTimedOut("m"), 503, "session_unavailable", "server_error"),
    (e.PlacetError("m"), 500, "internal_error", "server_error"),
]


@pytest.mark.parametrize(("error", "status", "code", "kind"), STATUS)
async def test_the_table(error: e.PlacetError, status: int, code: str, kind: str) -> None:
    assert status_of(error) == status
    assert error_object(error) == {"message": "m", "type": kind, "param": None, "code": code}
    response = error_response(error)
    assert response.status_code == status
    assert response.content_type == "application/json"
    assert json.loads(await response.get_data()) == {"error": error_object(error)}


def test_details_and_the_field_are_shown() -> None:
    error = e.Conflict("m", code="already_resolved", param="choice", detail={"decision": {"choice": "deny"}})
    assert error_object(error)["param"] == "choice"
    assert error_object(error)["decision"] == {"choice": "deny"}


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (e.TooMany("m"), "1"),
        (e.Draining("m"), "1"),
        (e.TooMany("m", retry_after_s=0.1), "1"),
        (e.Unavailable("m", retry_after_s=2.1), "3"),
        (e.Conflict("m", retry_after_s=5), "5"),
        (e.Conflict("m"), None),
        (e.PlacetError("m"), None),
    ],
)
def test_retry_after_is_whole_seconds_and_at_least_one(error: e.PlacetError, seconds: str | None) -> None:
    assert error_response(error).headers.get("Retry-After") == seconds


def test_only_a_conflict_tells_sdks_not_to_retry() -> None:
    told = {status for error, status, _, _ in STATUS if "x-should-retry" in error_response(error).headers}
    assert told == {409}
    assert error_response(e.Conflict("m")).headers["x-should-retry"] == "false"


def test_a_missing_key_is_told_the_scheme() -> None:
    assert error_response(e.NotAuthenticated("m")).headers["WWW-Authenticate"] == "Bearer"


class Unexpected(Exception):
    """Carries what no client may see."""


def make_app() -> JsonApp:
    app = JsonApp(__name__)

    async def fine() -> str:
        return "fine"

    async def own_policy() -> Response:
        return Response("page", headers={"Content-Security-Policy": "default-src 'self'"})

    async def broken() -> str:
        raise Unexpected("secret in /home/x")

    async def grouped() -> str:
        raise ExceptionGroup("from a nursery", [e.Conflict("m", code="session_busy")])

    async def refused(status: int) -> str:
        abort(status)

    app.add_url_rule("/fine", view_func=fine, methods=["POST"])
    app.add_url_rule("/own", view_func=own_policy)
    app.add_url_rule("/broken", view_func=broken)
    app.add_url_rule("/grouped", view_func=grouped)
    app.add_url_rule("/abort/<int:status>", view_func=refused)
    return app


async def ask(
    method: str, path: str, headers: dict[str, str] | None = None
) -> tuple[Response, dict[str, Any]]:
    response = await make_app().test_client().open(path, method=method, headers=headers)
    assert response.content_type == "application/json"
    error = json.loads(await response.get_data())["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return response, error


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])
@pytest.mark.parametrize("path", ["/nowhere", "/", "/v1/%00", "/v1/..%2f..", "/é"])
async def test_an_unknown_path_is_404(method: str, path: str) -> None:
    response, error = await ask(method, path)
    assert (response.status_code, error["code"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_wrong_method_is_405_with_those_that_are_right(method: str) -> None:
    response, error = await ask(method, "/fine")
    assert (response.status_code, error["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"] == "OPTIONS, POST"


@pytest.mark.parametrize("status", sorted(default_exceptions))
async def test_whatever_the_framework_refuses_is_json(status: int) -> None:
    response, error = await ask("GET", f"/abort/{status}")
    assert response.status_code == status
    assert error["code"] == "internal_error" if status >= 500 else error["code"] != "internal_error"


async def test_an_unexpected_error_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response, error = await ask("GET", "/broken")
    assert (response.status_code, error["code"]) == (500, "internal_error")
    assert "secret" not in error["message"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [Unexpected]


async def test_an_error_in_a_group_is_the_error() -> None:
    response = await make_app().test_client().get("/grouped")
    assert response.status_code == 409
    assert json.loads(await response.get_data())["error"]["code"] == "session_busy"


@pytest.mark.parametrize("path", ["/nowhere", "/fine", "/broken", "/abort/418"])
async def test_every_response_has_the_security_headers(path: str) -> None:
    response, _ = await ask("GET", path)
    assert {name: response.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS


async def test_a_page_keeps_its_own_policy() -> None:
    response = await make_app().test_client().get("/own")
    assert response.headers["Content-Security-Policy"] == "default-src 'self'"
    assert response.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("host", ["x" * 300, "a..b"])
async def test_a_host_that_is_none_is_answered(host: str) -> None:
    response, error = await ask("POST", "/fine", {"Host": host})
    assert (response.status_code, error["code"]) == (400, "bad_request")
    assert response.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("host", ["", "a b", "a:99999", "<script>", "é" * 70])
async def test_other_hosts_make_no_difference(host: str) -> None:
    response, _ = await ask("GET", "/fine", {"Host": host})
    assert response.status_code == 405


def test_an_exception_of_the_framework_without_a_code_is_500() -> None:
    assert error_response(HTTPException()).status_code == 500
