"""What the server says of itself: health and models."""

from __future__ import annotations

from typing import Any

from quart import Blueprint, Response

from placet import __version__
from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.runtime import LoopLagMonitor, snapshot
from placet.http.desk import Desk, json_response
from placet.http.routes.chat import DEFAULT_MODEL


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
        waiting = await services.store.approvals(
            status=ApprovalStatus.OPEN, principal=None, after=None, limit=200
        )
        return json_response(_details(len(waiting.items)))

    @blueprint.get("/v1/models")
    async def models() -> Response:
        desk.principal()
        model = {
            "id": DEFAULT_MODEL,
            "object": "model",
            "created": int(services.now()),
            "owned_by": "placet",
            "permission": [],
            "root": DEFAULT_MODEL,
            "parent": None,
        }
        return json_response({"object": "list", "data": [model]})

    def _details(open_prompts: int) -> dict[str, Any]:
        store, late = services.store.health, lag.read()
        actors = snapshot(desk.sessions.registry)
        checks = {"store": store.ready, "draining": services.draining}
        ready = store.ready and not services.draining
        return {
            "status": "ok" if ready else "degraded",
            "platform": "placet",
            "version": __version__,
            "readiness": {"status": "ok" if ready else "degraded", "checks": checks},
            "store": {
                "error": store.error,
                "commit_s": store.commit_s,
                "waiting": store.waiting,
                "log_bytes": store.log_bytes,
                "epoch": store.epoch,
            },
            "turns": {"running": services.room.running, "limit": services.limits.running_turns},
            "approvals": {"open": open_prompts},
            "actors": {
                "active": len(actors),
                "inbox_depth_max": max((actor.inbox_depth for actor in actors), default=0),
            },
            "loop_lag_s": {"p50": late.p50_s, "p99": late.p99_s, "max": late.max_s},
        }

    return blueprint
