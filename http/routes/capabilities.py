"""`GET /v1/capabilities`: what this server can do as it runs now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quart import Blueprint, Response, current_app

from placet import __version__
from placet.http.desk import Desk, json_response
from placet.http.openapi import OPERATIONS, Route, routes_of
from placet.http.routes.chat import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping

FEATURES: Final[Mapping[str, str]] = {
    "chat_completions": "chat_completions",
    "chat_completions_streaming": "chat_completions",
    "responses_api": "responses",
    "responses_streaming": "responses",
    "run_submission": "runs",
    "run_status": "run_status",
    "run_list": "run_list",
    "run_events_sse": "run_events",
    "run_stop": "run_stop",
    "run_steer": "run_steer",
    "run_clarify": "run_clarify",
    "run_approval_response": "run_approval",
    "run_unknown_resolution": "run_unknown_resolution",
    "tool_progress_events": "chat_completions",
    "approval_events": "chat_completions",
    "approval_inbox": "approval_list",
    "approval_inbox_events": "approval_events",
    "approval_rules": "approval_rules",
    "approval_extension": "approval_extend",
    "audit_chain": "audit",
    "session_resources": "sessions",
    "session_chat": "session_chat",
    "session_chat_streaming": "session_chat_stream",
    "session_events": "session_events",
    "session_fork": "session_fork",
    "session_queue": "session_queue",
    "viewer_websocket": "viewer_websocket",
    "reasoning_streaming": "chat_completions",
    "model_options": "model_options",
    "session_model_lock": "session_model_lock",
    "skills_api": "skills",
    "openapi": "openapi",
}
"""Features by the operation that carries them: a feature is on exactly if the application has that route."""

ABSENT: Final = (
    "admin_config_rw",
    "audio_api",
    "browser_extension_control",
    "jobs_admin",
    "memory_write_api",
    "realtime_voice",
)
"""Features that the contract knows and Placet leaves out."""

_RETENTION_S: Final = 24 * 3600
"""How long an `Idempotency-Key` is kept after its work has ended."""


def routes(desk: Desk) -> Blueprint:
    """The capabilities route."""
    blueprint = Blueprint("capabilities", __name__)

    @blueprint.get("/v1/capabilities")
    async def capabilities() -> Response:
        desk.principal()
        return json_response(_capabilities(desk, routes_of(current_app)))

    return blueprint


def _capabilities(desk: Desk, existing: frozenset[Route]) -> dict[str, Any]:
    endpoints = {operation.name: operation.route for operation in OPERATIONS if operation.route in existing}
    config = desk.config
    return {
        # These two words are the contract's: its clients refuse a server that says others. Who it really is stands in `server`.
        "object": "hermes.api_server.capabilities",
        "platform": "hermes-agent",
        "server": {"name": "placet", "version": __version__},
        "model": DEFAULT_MODEL,
        "auth": {"type": "bearer", "required": not config.no_auth},
        "runtime": {
            "mode": "server_agent",
            "tool_execution": "server",
            "split_runtime": False,
            "description": "The agent and its tools run on the server; a person decides what is dangerous.",
        },
        "features": {
            **dict.fromkeys(ABSENT, False),
            **{feature: name in endpoints for feature, name in FEATURES.items()},
            "approval_dialects": ["event", "chunk", "none"],
            "busy_policies": ["queue", "reject", "interrupt"],
            "cors": bool(config.cors_origins),
            "idempotency": {"supported": True, "durable": True, "retention_seconds": _RETENTION_S},
            "runs_idempotency": {
                "supported": "runs" in endpoints,
                "durable": "runs" in endpoints,
                "retention_seconds": _RETENTION_S,
            },
            "session_continuity_header": "X-Hermes-Session-Id",
            "session_key_header": "X-Hermes-Session-Key",
        },
        "endpoints": {
            name: {"method": route.method, "path": route.path} for name, route in endpoints.items()
        },
    }
