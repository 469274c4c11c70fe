"""The contract's three tests: a prompt reaches the open stream, is answered beside it, and outlives the one who watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.system.server import KEY, CommandServer, prompt_of, serving

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

agents = pytest.mark.parametrize("agent", ["blocking", "asynchronous"])


def _serving(folder: Path, agent: str, key: str | None = KEY) -> AbstractAsyncContextManager[Server]:
    env = {"DECISIONS": str(folder / "decisions")}
    return serving(folder, f"tests.system.agents.asking:{agent}", env=env, key=key, kind=CommandServer)


def _decisions(server: Server) -> list[str]:
    return (server.folder / "decisions").read_text().splitlines()


@agents
async def test_a_streamed_chat_shows_its_prompt_and_goes_on_once_it_is_answered(
    tmp_path: Path, agent: str
) -> None:
    async with _serving(tmp_path, agent, key=None) as server:
        async with server.chat("hi") as stream:
            assert stream.status == 200
            prompt = await prompt_of(stream)
            assert prompt["run_id"].startswith("chatcmpl")
            assert prompt["command"] == "rm -rf /tmp/x"
            path = f"/v1/runs/{prompt['run_id']}/approval"
            reply = await server.api.ask("POST", path, {"choice": "once"})
            assert reply.status == 200, reply
            events = await stream.rest()
        assert events[-1].data == "[DONE]"
        assert _decisions(server) == ["once"]
        run = await server.run(prompt["run_id"])
        assert run["run_id"] == prompt["run_id"]
        assert (run["status"], run["approval"], run["output"]) == ("completed", None, "ok")


@agents
@pytest.mark.parametrize(("surface", "prefix"), [("chat", "chatcmpl"), ("session", "run_")])
async def test_a_decision_is_fenced_by_the_generation(
    tmp_path: Path, agent: str, surface: str, prefix: str
) -> None:
    async with _serving(tmp_path, agent) as server:
        await server.make_session("api-stream")
        stream_of = server.chat("hi") if surface == "chat" else server.talk("api-stream", "hi")
        async with stream_of as stream:
            assert stream.status == 200
            prompt = await prompt_of(stream)
            assert prompt["run_id"].startswith(prefix)
            assert sorted(prompt["choices"]) == ["always", "deny", "once", "session"]
            stale = await server.answer(
                prompt, "once", execution_generation=prompt["execution_generation"] + 1
            )
            assert stale.verdict == (409, "stale_generation")
            assert (await server.run(prompt["run_id"]))["status"] == "waiting_for_approval"
            exact = await server.answer(prompt, "once")
            assert (exact.status, exact.json["status"]) == (200, "resolved")
            await stream.rest()
            assert not stream.cut
        assert _decisions(server) == ["once"]


@agents
async def test_an_exact_retry_shows_the_open_prompt_again(tmp_path: Path, agent: str) -> None:
    async with _serving(tmp_path, agent) as server:
        headers = {"X-Hermes-Session-Id": "retry-sse", "Idempotency-Key": "retry-once"}
        async with server.chat("hi", headers) as first:
            original = await prompt_of(first)
            await first.reset()
        async with server.chat("hi", headers) as retry:
            assert retry.status == 200
            replayed = await prompt_of(retry)
            same = ("request_id", "execution_generation", "command", "digest")
            assert [replayed[name] for name in same] == [original[name] for name in same]
            assert replayed["run_id"].startswith("chatcmpl")
            assert replayed["run_id"] != original["run_id"]
            answer = await server.answer(replayed, "once")
            assert (answer.status, answer.json["status"]) == (200, "resolved")
            events = await retry.rest()
        assert events[-1].data == "[DONE]"
        assert bytes(retry.received).count(b"event: approval.request") == 1
        assert _decisions(server) == ["once"]
        assert server.query("SELECT status FROM session_admissions WHERE principal_id = 'api'") == [
            ("terminal",)
        ]
