"""`GET /v1/models`: what a client with a list to choose from can choose."""

from __future__ import annotations

from typing import Any

from placet.actors.agents.model import ModelConfig
from tests.http.openapi.application import WITH_KEY, application


async def _names(**settings: Any) -> list[str]:
    async with application(**settings) as app:
        response = await app.test_client().get("/v1/models", headers=WITH_KEY)
        assert response.status_code == 200
        return [model["id"] for model in (await response.get_json())["data"]]


async def test_without_models_there_is_the_one_name_that_stands_for_the_agent() -> None:
    assert await _names() == ["placet"]


async def test_every_model_of_the_settings_can_be_chosen_once() -> None:
    url = "http://127.0.0.1:9/v1"
    models = (ModelConfig(name="small", base_url=url), ModelConfig(name="large", base_url=url))
    found = await _names(models=models, model="large", model_base_url=url)
    assert found == ["placet", "large", "small"]
