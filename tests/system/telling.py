"""Turns that are submitted as runs or as responses, and the streams that tell of them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.helpers import Call, Event
    from tests.system.server import Server

SURFACES = ("runs", "responses")
ENDS = {"runs": "run.completed", "responses": "response.completed"}
CANCELLED = {"runs": "run.cancelled", "responses": "response.cancelled"}
both = pytest.mark.parametrize("surface", SURFACES)


async def start(server: Server, text: str, headers: dict[str, str] | None = None, **more: Any) -> str:
    """A run that has been accepted."""
    reply = await server.api.ask("POST", "/v1/runs", {"input": text, **more}, headers or {})
    assert reply.status == 202, reply
    return str(reply.json["run_id"])


def events_of(server: Server, run_id: str, after: str | None = None) -> Any:
    """A run's events, as a context manager."""
    headers = {} if after is None else {"Last-Event-ID": after}
    return server.api.open("GET", f"/v1/runs/{run_id}/events", headers=headers)


@asynccontextmanager
async def telling(
    server: Server, surface: str, text: str, session_id: str | None = None
) -> AsyncIterator[Call]:
    """A stream that tells of a turn.

    Args:
        server: where it runs.
        surface: as what it is submitted.
        text: what is asked.
        session_id: the session to work in, if it is named.
    """
    headers = {} if session_id is None else {"X-Session-Id": session_id}
    if surface == "runs":
        async with events_of(server, await start(server, text, headers)) as stream:
            yield stream
    else:
        body = {"input": text, "stream": True}
        async with server.api.open("POST", "/v1/responses", body, headers) as stream:
            yield stream


def said(events: list[Event]) -> str:
    """The text that such a stream tells."""
    deltas = ("message.delta", "response.output_text.delta")
    return "".join(event.json["delta"] for event in events if event.name in deltas)
