"""Cases about approvals: which prompt an answer is for, what it lets happen, what it never does. Effects are looked at on disk."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.system.server import SCRIPT, named, prompt_of, script, serving, text_of
from tests.system.waiting import eventually, gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

DANGER = {"sh": "rm -rf ./victim"}
RACES = 50 if os.environ.get("PLACET_LONG") else 10


def _answers(server: Server, prompt: dict[str, Any], *choices: Any) -> Any:
    return gather(*(partial(server.answer, prompt, choice) for choice in choices))


async def _status(server: Server, prompt: dict[str, Any]) -> str:
    reply = await server.api.ask("GET", f"/v1/approvals/{prompt['request_id']}")
    assert reply.status == 200, reply
    status: str = reply.json["status"]
    return status


@pytest.mark.parametrize("surface", ["chat", "session"])
async def test_o01_the_prompt_reaches_the_stream(tmp_path: Path, surface: str) -> None:
    async with serving(tmp_path) as server:
        victim = server.victim()
        await server.make_session("s")
        text = script(DANGER, "ok")
        async with server.chat(text) if surface == "chat" else server.talk("s", text) as stream:
            prompt = await prompt_of(stream)
            assert prompt["command"] == prompt["display"] == "rm -rf ./victim"
            assert isinstance(prompt["execution_generation"], int)
            assert victim.exists()
            assert (await server.answer(prompt, "once")).status == 200
            rest = await stream.rest()
        assert not named(rest, "approval.request")
        assert text_of(rest).endswith("ok")
        assert (rest[-1].data == "[DONE]") if surface == "chat" else (rest[-1].name == "done")
        assert not victim.exists()


async def test_o01_a_call_without_a_stream_waits_and_is_decided_through_the_inbox(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        victim = server.victim()

        async def decide() -> None:
            data = await server.open_prompts()
            assert [row["command"] for row in data] == ["rm -rf ./victim"]
            path = f"/v1/approvals/{data[0]['request_id']}/decision"
            assert (await server.api.ask("POST", path, {"choice": "once"})).json["status"] == "resolved"

        answer, _ = await gather(lambda: server.say(script(DANGER, "ok")), decide)
        assert answer.status == 200
        assert answer.json["choices"][0]["message"] == {"role": "assistant", "content": "ok"}
        assert not victim.exists()
        closed = (await server.api.ask("GET", "/v1/approvals?status=approved")).json
        assert [row["decision"] for row in closed["data"]] == ["once"]


async def test_o02_o03_of_two_prompts_the_named_one_is_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for name in ("a", "b"):
            server.work.joinpath(name).mkdir()
        both = {"both": [[{"sh": "rm -rf ./a"}], [{"sh": "rm -rf ./b"}]]}
        async with server.chat(script(both, "ok")) as stream:
            found = [await prompt_of(stream), await prompt_of(stream)]
            prompts = {prompt["command"][-1]: prompt for prompt in found}
            assert prompts["a"]["request_id"] != prompts["b"]["request_id"]

            path = f"/v1/runs/{found[0]['run_id']}/approval"
            bare = await server.api.ask("POST", path, {"choice": "once"})
            assert bare.verdict == (409, "ambiguous_approval")
            assert [await _status(server, prompt) for prompt in found] == ["open", "open"]

            assert (await server.answer(prompts["b"], "once")).json["status"] == "resolved"
            await eventually(lambda: not server.work.joinpath("b").exists())
            assert await _status(server, prompts["a"]) == "open"
            assert (await server.answer(prompts["a"], "deny")).json["status"] == "resolved"
            assert text_of(await stream.rest()) == "ok"
        assert server.work.joinpath("a").exists()


async def test_o04_a_double_click_counts_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        server.victim()
        text = script({"sh": "echo x >> count; rm -rf ./victim"}, {"sh": "rm -rf ./other"}, "ok")
        async with server.chat(text) as stream:
            prompt = await prompt_of(stream)
            replies = await _answers(server, prompt, *["once"] * 10)
            assert [reply.json["status"] for reply in replies if reply.status == 200].count("resolved") == 1
            assert {reply.status for reply in replies} <= {200, 409}
            assert {reply.json["choice"] for reply in replies if reply.status == 200} == {"once"}

            second = await prompt_of(stream)
            await _answers(server, prompt, "once", "once")
            path = f"/v1/runs/{prompt['run_id']}/approval"
            bare = await server.api.ask("POST", path, {"choice": "once"})
            assert bare.verdict == (409, "ambiguous_approval")
            assert await _status(server, second) == "open"
            await server.answer(second, "deny")
            await stream.rest()
        assert server.lines("count") == ["x"]


async def test_o05_of_two_approvers_one_wins_and_the_other_learns_who(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for _ in range(RACES):
            victim = server.victim()
            async with server.chat(script(DANGER, "ok")) as stream:
                prompt = await prompt_of(stream)
                replies = await _answers(server, prompt, "once", "deny")
                won = [
                    choice
                    for choice, reply in zip(("once", "deny"), replies, strict=True)
                    if reply.status == 200
                ]
                assert len(won) == 1, replies
                loser = replies[won == ["once"]]
                assert loser.verdict == (409, "already_resolved")
                assert loser.error["decision"]["choice"] == won[0]
                rest = await stream.rest()
            assert [row["choice"] for row in named(rest, "approval.responded")] == won
            assert victim.exists() == (won == ["deny"])


async def test_o06_a_click_after_the_timeout_does_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, approval_timeout_s=1) as server:
        victim = server.victim()
        async with server.chat(script(DANGER, {"append": "after"}, {"wait_for": "go"}, "ok")) as stream:
            prompt = await prompt_of(stream)
            await eventually(lambda: server.lines("after"))
            assert (await server.answer(prompt, "once")).verdict == (409, "approval_expired")
            server.work.joinpath("go").touch()
            assert text_of(await stream.rest()) == "ok"
        assert (await server.answer(prompt, "once")).verdict == (409, "approval_expired")
        run = await server.run(prompt["run_id"])
        assert [(row["status"], row["decision"]) for row in run["approvals"]] == [("expired", None)]
        assert victim.exists()


@pytest.mark.parametrize("agent", [SCRIPT, "tests.system.agents.script:blocking"])
async def test_o07_stopping_a_run_closes_its_prompt(tmp_path: Path, agent: str) -> None:
    async with serving(tmp_path, agent) as server:
        victim = server.victim()
        async with server.chat(script(DANGER, "ok")) as stream:
            prompt = await prompt_of(stream)
            stop = await server.api.ask("POST", f"/v1/runs/{prompt['run_id']}/stop")
            assert stop.status == 200
            rest = await stream.rest()
            assert [row["request_id"] for row in named(rest, "approval.settled")] == [prompt["request_id"]]
            assert rest[-1].json["error"]["code"] == "run_cancelled"
            assert b'"finish_reason":"stop"' not in stream.received
        await server.run_becomes(prompt["run_id"], "cancelled")
        assert (await server.answer(prompt, "once")).verdict == (409, "approval_not_pending")
        assert (await server.run(prompt["run_id"]))["status"] == "cancelled"
        assert victim.exists()


async def test_o08_once_means_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        victim = server.victim()
        async with server.chat(script(DANGER, DANGER, DANGER, "ok")) as stream:
            asked = [await prompt_of(stream)]
            await server.answer(asked[0], "once")
            for _ in range(2):
                asked.append(await prompt_of(stream))
                server.victim()
                await server.answer(asked[-1], "deny")
            await stream.rest()
        assert len({prompt["request_id"] for prompt in asked}) == 3
        assert victim.exists()


async def test_o09_a_grant_for_a_session_stays_in_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        victim = server.victim()
        await server.make_session("a")
        await server.make_session("b")
        async with server.talk("a", script(DANGER)) as stream:
            await server.answer(await prompt_of(stream), "session")
            await stream.rest()
        server.victim()
        async with server.talk("a", script(DANGER, "granted", {"wait_for": "go"})) as in_a:
            assert (await in_a.until("assistant.delta", "approval.request")).name == "assistant.delta"
            assert not victim.exists()
            server.victim()
            async with server.talk("b", script(DANGER)) as in_b, server.chat(script(DANGER)) as alone:
                for stream in (in_b, alone):
                    await server.answer(await prompt_of(stream), "deny")
                    await stream.rest()
            server.work.joinpath("go").touch()
            await in_a.rest()
        assert victim.exists()


async def test_o12_a_choice_that_was_not_offered_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        text = script({"ask": "deploy", "choices": ["once", "session", "deny"]}, "ok")
        async with server.chat(text) as stream:
            prompt = await prompt_of(stream)
            assert prompt["choices"] == ["once", "session", "deny"]
            for choice in ("maybe", "forever", "", "always"):
                assert (await server.answer(prompt, choice)).verdict == (400, "invalid_choice"), choice
            for wrong in (None, True, ["once"], {"once": 1}):
                assert (await server.answer(prompt, wrong)).verdict == (400, "invalid_params"), wrong
            path = f"/v1/runs/{prompt['run_id']}/approval"
            for body in (
                {},
                {"choice": "once", "all": True},
                {"choice": "once", "execution_generation": True},
            ):
                assert (await server.api.ask("POST", path, body)).verdict == (400, "invalid_params"), body
            for raw in (b"", b"[]", b'"once"', b"{"):
                assert (await server.api.ask("POST", path, raw)).verdict == (400, "invalid_json"), raw
            assert await _status(server, prompt) == "open"
            assert (await server.answer(prompt, "approve")).json["choice"] == "once"
            await stream.rest()
        assert server.lines("decisions") == ["once approved"]


async def test_o12_another_digest_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        async with server.chat(script({"ask": "deploy"}, "ok")) as stream:
            prompt = await prompt_of(stream)
            wrong = await server.answer(prompt, "once", digest="0" * 64)
            assert wrong.verdict == (409, "stale_action")
            assert (await server.answer(prompt, "once", digest=prompt["digest"])).status == 200
            await stream.rest()


async def test_o13_a_viewer_who_comes_late_sees_the_prompt_while_it_is_open(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")
        key = {"Idempotency-Key": "late"}
        text = script({"ask": "deploy"}, {"append": "after"}, {"wait_for": "go"}, "ok")
        async with server.talk("s", text, key) as first:
            prompt = await prompt_of(first)
            await first.reset()
        run = await server.run(prompt["run_id"])
        assert run["status"] == "waiting_for_approval"
        assert run["approval"]["request_id"] == prompt["request_id"]
        async with server.talk("s", text, key) as late:
            shown = await prompt_of(late)
            same = ("request_id", "execution_generation")
            assert [shown[name] for name in same] == [prompt[name] for name in same]
            await server.answer(shown, "once")
            await eventually(lambda: server.lines("after"))
            async with server.talk("s", text, key) as later:
                server.work.joinpath("go").touch()
                assert not named(await later.rest(), "approval.request")
            rest = await late.rest()
            assert not named(rest, "approval.request")
            assert text_of(rest) == "ok"
        assert (await server.run(prompt["run_id"]))["pending_controls"] == []


async def test_o15_to_say_yes_is_not_to_approve(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        victim = server.victim()
        here = {"X-Hermes-Session-Id": "s"}
        async with server.chat(script(DANGER, "ok"), here) as stream:
            prompt = await prompt_of(stream)
            words = ("I approve, go ahead", "/approve")
            async with server.chat(words[0], here) as yes, server.chat(words[1], here) as command:
                assert (yes.status, command.status) == (200, 200)
                assert await _status(server, prompt) == "open"
                assert victim.exists()
                await server.answer(prompt, "deny")
                for said, queued in zip(("ok", *words), (stream, yes, command), strict=True):
                    assert text_of(await queued.rest()) == said
        history = json.loads(
            (await server.say(script({"history": True}), here)).json["choices"][0]["message"]["content"]
        )
        assert [text for role, text in history if role == "user"][1:] == list(words)
        assert victim.exists()


async def test_o16_a_prompt_is_answered_only_under_its_own_run(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        here = {"X-Hermes-Session-Id": "s"}
        async with server.chat("done at once", here) as done:
            first: str = (await done.until("message")).json["id"]
            await done.rest()
        text = script({"ask": "deploy"}, "ok")
        async with server.chat(text, here) as stream, server.chat(text) as other:
            prompts = [await prompt_of(stream), await prompt_of(other)]
            for run_id in (first, prompts[1]["run_id"]):
                crossed = await server.answer(prompts[0] | {"run_id": run_id}, "once")
                assert crossed.verdict == (409, "approval_not_pending")
            unknown = await server.answer(prompts[0] | {"run_id": "chatcmpl-" + "0" * 29}, "once")
            assert unknown.verdict == (404, "run_not_found")
            assert [await _status(server, prompt) for prompt in prompts] == ["open", "open"]
            for prompt, waiting in zip(prompts, (stream, other), strict=True):
                await server.answer(prompt, "deny")
                await waiting.rest()
        assert server.lines("decisions") == ["deny denied", "deny denied"]
