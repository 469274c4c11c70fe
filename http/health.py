"""How the server is, in figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from placet import __version__
from placet.actors.protocol.approvals import ApprovalStatus
from placet.actors.runtime import snapshot

if TYPE_CHECKING:
    from placet.actors.runtime import LoopLagMonitor, Registry
    from placet.actors.session import Services
    from placet.http.hooks.hooks import Hooks

ACTORS_SHOWN: Final = 200
"""Actors in one answer, the fullest inboxes first: what is in trouble is among them, and a screen holds no more."""


async def health_details(
    services: Services, registry: Registry, lag: LoopLagMonitor, hooks: Hooks
) -> dict[str, Any]:
    """How the server is.

    Args:
        services: what its sessions share.
        registry: their actors.
        lag: measures the loop.
        hooks: tell the outside world.

    Raises:
        StoreUnavailable: the disk refuses.
    """
    waiting = await services.store.approvals(
        status=ApprovalStatus.OPEN, principal=None, after=None, limit=200
    )
    store, late = services.store.health, lag.read()
    actors = snapshot(registry)
    checks = {"store": store.ready, "draining": services.draining}
    word = "ok" if store.ready and not services.draining else "degraded"
    return {
        "status": word,
        "platform": "placet",
        "version": __version__,
        "readiness": {"status": word, "checks": checks},
        "store": {
            "error": store.error,
            "commit_s": store.commit_s,
            "waiting": store.waiting,
            "log_bytes": store.log_bytes,
            "epoch": store.epoch,
        },
        "turns": {"running": services.room.running, "limit": services.limits.running_turns},
        "approvals": {"open": len(waiting.items)},
        "actors": {
            "active": len(actors),
            "inbox_depth_max": max((actor.inbox_depth for actor in actors), default=0),
        },
        "webhooks": await hooks.health(),
        "loop_lag_s": {"p50": late.p50_s, "p99": late.p99_s, "max": late.max_s},
    }


def actor_details(services: Services, registry: Registry) -> dict[str, Any]:
    """The actors one by one, and what they have counted. It names sessions, so it is for those who may see all."""
    actors = sorted(snapshot(registry), key=lambda actor: (-actor.inbox_depth, actor.idle_s))
    return {
        "running": [
            {
                "session_id": actor.key,
                "state": actor.state,
                "inbox_depth": actor.inbox_depth,
                "open_replies": actor.open_replies,
                "age_s": actor.age_s,
                "idle_s": actor.idle_s,
            }
            for actor in actors[:ACTORS_SHOWN]
        ],
        "counts": asdict(registry.counts),
        "streams": services.streams,
    }
