"""What the server says of itself: health and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quart import Blueprint, Response

from placet import __version__
from placet.http.desk import Desk, json_response
from placet.http.health import health_details
from placet.http.routes.chat import DEFAULT_MODEL

if TYPE_CHECKING:
    from placet.actors.runtime import LoopLagMonitor


def routes(desk: Desk, lag: LoopLagMonitor) -> Blueprint:
    """The routes about the server itself."""
    blueprint = Blueprint("server", __name__)
    services = desk.sessions.services

    @blueprint.get("/health")
    @blueprint.get("/v1/health")
    async def health() -> Response:
        ready = not services.draining and services.store.health.ready
        body = {"status": "ok" if ready else "degraded", "platform": "placet", "version": __version__}
        return json_response(body)

    @blueprint.get("/health/detailed")
    async def detailed_health() -> Response:
        desk.principal()
        return json_response(await health_details(services, desk.sessions.registry, lag, desk.hooks))

    @blueprint.get("/v1/models")
    async def models() -> Response:
        desk.principal()
        names = (DEFAULT_MODEL, *(model.name for model in desk.config.agent_settings.models))
        created = int(services.now())
        return json_response(
            {"object": "list", "data": [_model(name, created) for name in dict.fromkeys(names)]}
        )

    return blueprint


def _model(name: str, created: int) -> dict[str, object]:
    return {
        "id": name,
        "object": "model",
        "created": created,
        "owned_by": "placet",
        "permission": [],
        "root": name,
        "parent": None,
    }
