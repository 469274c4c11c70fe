"""Behind the documented proxies everything is as without one: prompts come at once, streams resume, pages connect."""

from __future__ import annotations

import json
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from tests.docs.fronts import FRONTS
from tests.helpers import PATIENCE_S, EventParser
from tests.http.ws.socket import VERSION, Viewer
from tests.system.server import KEY, chat_body, prompt_of, serving, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.helpers import Api
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.parametrize("front", FRONTS)]

ASKING = "tests.clients.agent:asking"
ANSWER = "May I? Yes: it is done ✓."
NEVER_S = 3600
"""Between two signs of life: so nothing but the event itself can push a prompt out of a buffer."""


@asynccontextmanager
async def behind(front: str, folder: Path) -> AsyncIterator[tuple[Api, Server]]:
    """A server, and the way to it through a proxy."""
    async with serving(folder, ASKING, heartbeat_s=NEVER_S) as server:
        async with FRONTS[front](folder, server.port) as api:
            yield api, server


async def test_a_prompt_is_seen_at_once_and_answered(tmp_path: Path, front: str) -> None:
    async with behind(front, tmp_path) as (api, _):
        async with api.open("POST", "/v1/chat/completions", chat_body("Do it.", stream=True)) as call:
            prompt = await prompt_of(call)
            answered = await api.ask(
                "POST", f"/v1/approvals/{prompt['request_id']}/decision", {"choice": "once"}
            )
            assert answered.status == 200, answered
            events = await call.rest()
        assert events[-1].data == "[DONE]"
        assert text_of(events) == ANSWER.removeprefix("May I? ")


async def test_a_run_is_followed_again_from_where_it_was_left(tmp_path: Path, front: str) -> None:
    async with behind(front, tmp_path) as (api, _):
        run = (await api.ask("POST", "/v1/runs", {"input": "Do it."})).json["run_id"]
        async with api.open("GET", f"/v1/runs/{run}/events") as call:
            left_at = (await call.until("approval.request")).id
        prompt = (await api.ask("GET", f"/v1/runs/{run}")).json
        assert prompt["status"] == "waiting_for_approval"
        async with api.open("GET", f"/v1/runs/{run}/events", headers={"Last-Event-ID": left_at}) as call:
            decided = await api.ask("POST", f"/v1/runs/{run}/approval", {"choice": "deny"})
            assert decided.status == 200, decided
            names = [event.name for event in await call.rest()]
        assert "approval.request" not in names
        assert names[-1] == "run.completed"


async def test_pages_connect_and_large_bodies_are_refused_by_placet_itself(
    tmp_path: Path, front: str
) -> None:
    async with behind(front, tmp_path) as (api, _):
        reply = await api.ask("POST", "/v1/chat/completions", b" " * 10_000_001)
        assert reply.verdict == (413, "body_too_large")
        stream = await api.connect()
        viewer = Viewer(stream)
        try:
            await viewer.shake_hands(api, KEY, [VERSION], f"https://127.0.0.1:{api.port}", None)
            assert viewer.subprotocol == VERSION
            assert "method" in await viewer.frame()
        finally:
            await trio.aclose_forcefully(stream)


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl: apt-get install curl")
async def test_a_stream_over_the_version_that_browsers_speak(tmp_path: Path, front: str) -> None:
    async with behind(front, tmp_path) as (api, server):
        scheme = "https" if front == "nginx" else "http"
        command = ["curl", "-sS", "--insecure", "--fail", "--no-buffer", "-w", "\n: HTTP %{http_version}\n"]
        command += ["-H", f"Authorization: Bearer {KEY}", "-d", json.dumps(chat_body("Do it.", stream=True))]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_say_yes, server)
            with trio.fail_after(PATIENCE_S):
                done = await trio.run_process(
                    [*command, f"{scheme}://127.0.0.1:{api.port}/v1/chat/completions"], capture_stdout=True
                )
        text = done.stdout.decode()
        assert text_of(EventParser().feed(done.stdout)) == ANSWER
        assert f": HTTP {'2' if front == 'nginx' else '1.1'}" in text


async def _say_yes(server: Server) -> None:
    (prompt,) = await server.open_prompts()
    assert (await server.answer(prompt, "once")).status == 200
