"""Prompts and events as a server sends them."""

from __future__ import annotations

from typing import Any

from placet.http.client import Arrived

BEGAN = 1_000_000.0
"""The moment at which everything here begins, in Unix seconds."""


def prompt(request_id: str = "p1", **more: Any) -> dict[str, Any]:
    """A request for consent, open."""
    return {
        "event": "approval.request",
        "kind": "approval",
        "run_id": "run_1",
        "session_id": "s",
        "request_id": request_id,
        "execution_generation": 1,
        "tool": "terminal",
        "display": "rm -rf build",
        "description": "rm deletes files.",
        "directory": "/work",
        "path": "root",
        "choices": ["once", "session", "always", "deny"],
        "rules": {"session": "exactly this, in this session", "always": "exactly this, always"},
        "digest": "d1",
        "warnings": [],
        "created_at": BEGAN,
        "expires_at": BEGAN + 3600,
        "status": "open",
    } | more


def question(request_id: str = "q1", **more: Any) -> dict[str, Any]:
    """A question in words, open."""
    return {
        "event": "clarify.request",
        "kind": "clarify",
        "run_id": "run_1",
        "session_id": "s",
        "request_id": request_id,
        "execution_generation": 1,
        "question": "Which way?",
        "choices": ["left", "right"],
        "expires_at": None,
        "status": "open",
    } | more


def responded(
    request_id: str = "p1", choice: str = "once", by: str = "ann", reason: str = ""
) -> dict[str, Any]:
    """That a prompt was decided."""
    status = "denied" if choice == "deny" else "approved"
    return {
        "event": "approval.responded",
        "request_id": request_id,
        "choice": choice,
        "status": status,
        "decided_by": by,
        "reason": reason,
    }


def arrived(data: dict[str, Any]) -> Arrived:
    """An event of that object."""
    return Arrived(data["event"], data)


def event(name: str, **data: Any) -> Arrived:
    """Any event."""
    return Arrived(name, {"event": name, **data})
