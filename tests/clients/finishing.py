"""Runs a client to its end while somebody else decides its prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import trio

from tests.helpers import Api
from tests.system.server import KEY, serving

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.system.server import Server

ANSWERS = {"once": "May I? Yes: it is done ✓.", "deny": "May I? No: it is left as it was."}
"""What every client must print, by what was decided."""

CLIENT_S = 90.0
"""How long one client may take: an interpreter with an SDK, on a machine that runs other tests."""


def asking_server(folder: Path, **settings: Any) -> AbstractAsyncContextManager[Server]:
    """A server whose agent asks."""
    return serving(folder, "tests.clients.agent:asking", **settings)


async def decide_all(api: Api, choice: str) -> None:
    """Answer every prompt as it appears in the inbox, each on a connection of its own, until cancelled."""
    async with api.open("GET", "/v1/approvals/events") as inbox:
        while received := await inbox.read():
            for event in inbox.parser.feed(received):
                if event.name == "approval.request" and event.json["status"] == "open":
                    path = f"/v1/approvals/{event.json['request_id']}/decision"
                    reply = await api.ask("POST", path, {"choice": choice})
                    assert reply.status == 200, reply


async def output_of(server: Server, command: Sequence[str], choice: str) -> str:
    """What a client prints while every prompt is answered so. It must end well, and have nothing to complain about."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(decide_all, server.api, choice)
        with trio.fail_after(CLIENT_S):
            done = await trio.run_process(
                list(command), capture_stdout=True, capture_stderr=True, check=False, cwd=server.folder
            )
        nursery.cancel_scope.cancel()
    assert done.returncode == 0, (command, done.stdout.decode(), done.stderr.decode())
    assert done.stderr == b"", done.stderr.decode()
    return done.stdout.decode()


async def check(
    server: Server, command: Sequence[str], choice: str, variants: Sequence[str], key: str = KEY
) -> None:
    """Run a client that prints a JSON object: what it got, by variant of how it asked. All of it must be right."""
    base = f"http://127.0.0.1:{server.port}"
    printed = await output_of(server, [*command, base, key], choice)
    assert json.loads(printed) == dict.fromkeys(variants, ANSWERS[choice])
