"""`GET /v1/capabilities` tells the truth."""

from __future__ import annotations

from typing import Any

import pytest
from quart import Quart

from placet.http.openapi import OPERATIONS, Route, routes_of
from placet.http.routes.capabilities import ABSENT, FEATURES
from tests.http.openapi.application import WITH_KEY, application


async def capabilities(**settings: Any) -> dict[str, Any]:
    async with application(**settings) as app:
        response = await app.test_client().get("/v1/capabilities", headers=WITH_KEY)
        assert response.status_code == 200
        found: dict[str, Any] = await response.get_json()
        return found


async def test_it_needs_a_key() -> None:
    async with application() as app:
        assert (await app.test_client().get("/v1/capabilities")).status_code == 401


async def test_it_says_in_the_contracts_words_that_it_keeps_the_contract_and_in_its_own_who_it_is() -> None:
    found = await capabilities()
    assert (found["object"], found["platform"]) == ("hermes.api_server.capabilities", "hermes-agent")
    assert found["server"]["name"] == "placet"
    assert found["auth"] == {"type": "bearer", "required": True}
    assert found["model"]


async def test_every_endpoint_that_it_names_exists() -> None:
    async with application() as app:
        response = await app.test_client().get("/v1/capabilities", headers=WITH_KEY)
        named = {Route(**endpoint) for endpoint in (await response.get_json())["endpoints"].values()}
        assert named == routes_of(app)


async def test_a_feature_is_on_exactly_if_its_endpoint_is_named() -> None:
    found = await capabilities()
    for feature, endpoint in FEATURES.items():
        assert found["features"][feature] is (endpoint in found["endpoints"]), feature
    assert [feature for feature in ABSENT if found["features"][feature] is not False] == []


@pytest.mark.parametrize(("settings", "cors"), [({}, False), ({"cors_origins": ("*",)}, True)])
async def test_settings_show(settings: dict[str, Any], cors: bool) -> None:
    assert (await capabilities(**settings))["features"]["cors"] is cors


async def test_a_server_without_keys_says_so() -> None:
    assert (await capabilities(no_auth=True))["auth"]["required"] is False


def test_routes_are_named_as_the_document_names_them() -> None:
    app = Quart("test")

    @app.route("/a/<name>/<int:number>", methods=["GET", "DELETE"])
    async def view(name: str, number: int) -> str:
        return f"{name}{number}"

    app.add_url_rule("/static/<path:filename>", view_func=view, endpoint="other", methods=["POST"])
    ours = {route for route in routes_of(app) if "filename" not in route.path or route.method == "POST"}
    assert ours == {
        Route("GET", "/a/{name}/{number}"),
        Route("DELETE", "/a/{name}/{number}"),
        Route("POST", "/static/{filename}"),
    }


def test_features_name_operations_that_are_or_will_be_described_once() -> None:
    names = [operation.name for operation in OPERATIONS]
    assert sorted(names) == sorted(set(names))
