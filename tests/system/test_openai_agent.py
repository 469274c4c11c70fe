"""The agent `openai` as its user has it: a real server in front of a scripted model."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakemodel import FakeModel, Reply, calls, fake_model
from tests.system.server import named, prompt_of, serving, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]


@asynccontextmanager
async def asking(
    folder: Path, *replies: Reply | str, **settings: Any
) -> AsyncIterator[tuple[Server, FakeModel]]:
    """A server whose agent asks a scripted model."""
    async with fake_model(*replies) as model:
        settings = {"model_base_url": model.url, "model": "fake", "model_api_key": "sk-fake-key"} | settings
        async with serving(folder, "openai", **settings) as server:
            yield server, model


def sh(*commands: str, **more: Any) -> Reply:
    """A reply that calls the terminal, once for each command."""
    return calls(*(("terminal", {"command": command}) for command in commands), **more)


def results(request: dict[str, Any]) -> list[tuple[str, str]]:
    """The results of calls that a request carries, in order."""
    return [
        (message["tool_call_id"], message["content"])
        for message in request["messages"]
        if message["role"] == "tool"
    ]


async def test_a_text_is_an_answer(tmp_path: Path) -> None:
    async with asking(tmp_path, "hello to you", "again") as (server, model):
        async with server.chat("hi", temperature=0.5) as stream:
            assert text_of(await stream.rest()) == "hello to you"
        reply = await server.say("hi")
        assert reply.json["choices"][0]["message"]["content"] == "again"
        assert reply.json["usage"] == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert model.headers[0]["authorization"] == "Bearer sk-fake-key"
    assert model.requests[0]["temperature"] == 0.5
    assert model.requests[0]["messages"][-1] == {"role": "user", "content": "hi"}
    assert "sk-fake-key" not in server.log


@pytest.mark.parametrize("choice", ["once", "deny"])
async def test_a_dangerous_command_waits_for_a_person(tmp_path: Path, choice: str) -> None:
    async with asking(tmp_path, sh("rm -rf ./victim; echo gone"), "ok") as (server, model):
        victim = server.victim()
        async with server.chat("remove it") as stream:
            prompt = await prompt_of(stream)
            assert prompt["command"] == "rm -rf ./victim; echo gone"
            assert victim.exists()
            await server.answer(prompt, choice, reason="not on a Friday")
            assert text_of(await stream.rest()) == "ok"
        assert victim.exists() == (choice == "deny")
    ((call_id, result),) = results(model.requests[1])
    assert call_id == "c1"
    assert (
        result
        == {
            "once": "gone\n\n(exit status 0)",
            "deny": "The command was not run: it was denied (not on a Friday).",
        }[choice]
    )


@pytest.mark.parametrize("choice", ["once", "deny"])
async def test_o64_one_gated_call_among_free_ones(tmp_path: Path, choice: str) -> None:
    three = sh("echo 1 >> out", "rm -rf ./victim", "echo 3 >> out")
    async with asking(tmp_path, three, "ok") as (server, model):
        victim = server.victim()
        async with server.chat("go") as stream:
            prompt = await prompt_of(stream)
            await server.answer(prompt, choice)
            rest = await stream.rest()
        assert not named(rest, "approval.request")
        assert text_of(rest) == "ok"
        assert sorted(server.lines("out")) == ["1", "3"]
        assert victim.exists() == (choice == "deny")
    assert [call_id for call_id, _ in results(model.requests[1])] == ["c1", "c2", "c3"]
