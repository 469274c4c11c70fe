"""Cases about prompts and keys, once more on runs and on responses: what holds for a chat must hold for every door."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import openai
import pytest
import trio

from tests.system.server import KEY, SCRIPT, named, prompt_of, script, serving
from tests.system.telling import CANCELLED, ENDS, SURFACES, both, said, telling
from tests.system.waiting import eventually, gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

DANGER = {"sh": "rm -rf ./victim"}
LONG = bool(os.environ.get("PLACET_LONG"))
RACES = 50 if LONG else 5
SILENCES = [("tests.system.agents.impatient:opaque", 1.5)] + [(SCRIPT, 75.0)] * LONG
"""The framework's limit, which that agent's module sets to a second, and how long a person takes."""

NAME = {"runs": "run_id", "responses": "id"}


async def status_of(server: Server, prompt: dict[str, Any]) -> str:
    """How a prompt stands."""
    reply = await server.api.ask("GET", f"/v1/approvals/{prompt['request_id']}")
    status: str = reply.json["status"]
    return status


@both
async def test_o05_of_two_approvers_one_wins_and_the_other_learns_who(server: Server, surface: str) -> None:
    for _ in range(RACES):
        victim = server.victim()
        async with telling(server, surface, script(DANGER, "ok")) as stream:
            prompt = await prompt_of(stream)
            choices = ("once", "deny")
            replies = await gather(*(partial(server.answer, prompt, choice) for choice in choices))
            ((won, winner),) = [pair for pair in zip(choices, replies, strict=True) if pair[1].status == 200]
            assert winner.json["status"] == "resolved"
            loser = replies[won == "once"]
            assert loser.verdict == (409, "already_resolved")
            assert loser.error["decision"]["choice"] == won
            rest = await stream.rest()
        assert rest[-1].name == ENDS[surface]
        assert [row["choice"] for row in named(rest, "approval.responded")] == [won]
        assert victim.exists() == (won == "deny")


async def test_o06_a_click_after_the_timeout_does_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, approval_timeout_s=0.5) as server:
        victim = server.victim()
        for surface in SURFACES:
            text = script(DANGER, {"append": f"after {surface}"}, {"wait_for": f"go {surface}"}, "ok")
            async with telling(server, surface, text) as stream:
                prompt = await prompt_of(stream)
                settled = (await stream.until("approval.settled")).json
                assert (settled["request_id"], settled["status"]) == (prompt["request_id"], "expired")
                await eventually(lambda name=f"after {surface}": server.lines(name))
                assert (await server.answer(prompt, "once")).verdict == (409, "approval_expired")
                server.work.joinpath(f"go {surface}").touch()
                assert said(await stream.rest()) == "ok"
            run = await server.run(prompt["run_id"])
            assert [(row["status"], row["decision"]) for row in run["approvals"]] == [("expired", None)]
        assert victim.exists()


@both
async def test_o07_stopping_a_run_closes_its_prompt(server: Server, surface: str) -> None:
    victim = server.victim()
    async with telling(server, surface, script(DANGER, "ok")) as stream:
        prompt = await prompt_of(stream)
        stop = {
            "runs": f"/v1/runs/{prompt['run_id']}/stop",
            "responses": f"/v1/responses/{prompt['run_id']}/cancel",
        }
        assert (await server.api.ask("POST", stop[surface])).status == 200
        rest = await stream.rest()
    assert [row["status"] for row in named(rest, "approval.settled")] == ["cancelled"]
    assert rest[-1].name == CANCELLED[surface]
    await server.run_becomes(prompt["run_id"], "cancelled")
    assert (await server.answer(prompt, "once")).verdict == (409, "approval_not_pending")
    assert victim.exists()


@both
async def test_o08_once_means_once(server: Server, surface: str) -> None:
    victim = server.victim()
    async with telling(server, surface, script(DANGER, DANGER, DANGER, "ok"), "s") as stream:
        first = await prompt_of(stream)
        await server.answer(first, "once")
        await eventually(lambda: not victim.exists())
        server.victim()
        for _ in range(2):
            again = await prompt_of(stream)
            assert again["request_id"] != first["request_id"]
            await server.answer(again, "deny")
        await stream.rest()
    assert victim.exists()


async def asked(server: Server, surface: str, session_id: str | None, choice: str = "deny") -> bool:
    """Whether the command is asked about there; then it is answered so."""
    async with telling(server, surface, script(DANGER, "ok"), session_id) as stream:
        while (event := await stream.event()) is not None:
            if event.name == "approval.request" and event.json.get("status", "open") == "open":
                await server.answer(event.json, choice)
                await stream.rest()
                return True
    return False


async def test_o09_a_grant_for_a_session_stays_in_it_and_holds_at_its_every_door(server: Server) -> None:
    victim = server.victim()
    assert await asked(server, "runs", "a", "session")
    for surface in SURFACES:
        server.victim()
        assert not await asked(server, surface, "a")
        assert not victim.exists()
        server.victim()
        assert await asked(server, surface, "b")
        assert await asked(server, surface, None)
        assert victim.exists()
    assert (await server.api.ask("DELETE", "/api/sessions/a")).status == 200
    for surface in SURFACES:
        assert await asked(server, surface, "a"), "another session has taken the id"
    assert victim.exists()


@both
async def test_o12_a_choice_that_was_not_offered_is_refused(server: Server, surface: str) -> None:
    text = script({"ask": "deploy", "choices": ["once", "session", "deny"]}, "ok")
    async with telling(server, surface, text) as stream:
        prompt = await prompt_of(stream)
        inbox = f"/v1/approvals/{prompt['request_id']}/decision"
        for choice in ("maybe", "forever", "", "always"):
            assert (await server.answer(prompt, choice)).verdict == (400, "invalid_choice"), choice
            refused = await server.api.ask("POST", inbox, {"choice": choice})
            assert refused.verdict == (400, "invalid_choice"), choice
        for wrong in (None, True, ["once"], {"once": 1}):
            assert (await server.answer(prompt, wrong)).verdict == (400, "invalid_params"), wrong
            assert (await server.api.ask("POST", inbox, {"choice": wrong})).status == 400, wrong
        assert (await server.api.ask("POST", inbox, {})).verdict == (400, "invalid_params")
        assert await status_of(server, prompt) == "open"
        assert (await server.api.ask("POST", inbox, {"choice": "Allow"})).json["choice"] == "once"
        await stream.rest()
    assert server.lines("decisions") == ["once approved"]


async def test_o16_a_prompt_is_answered_only_under_its_own_run(server: Server) -> None:
    text = script({"ask": "deploy"}, "ok")
    async with telling(server, "runs", text) as first, telling(server, "responses", text) as second:
        prompts = [await prompt_of(first), await prompt_of(second)]
        for mine, other in (prompts, prompts[::-1]):
            crossed = await server.answer(mine | {"run_id": other["run_id"]}, "once")
            assert crossed.verdict == (409, "approval_not_pending")
        assert [await status_of(server, prompt) for prompt in prompts] == ["open", "open"]
        for prompt, stream in zip(prompts, (first, second), strict=True):
            await server.answer(prompt, "deny")
            await stream.rest()
    assert server.lines("decisions") == ["deny denied", "deny denied"]


AWKWARD = [[b""], [b"k" * 300], [b"one", b"two"], [b"caf\xe9"], [b"a\tb"]]


async def test_o30_an_awkward_key_is_refused_as_json_and_quotes_are_part_of_one(server: Server) -> None:
    work = script({"append": "count"}, "ok")
    for surface in SURFACES:
        for lines in AWKWARD:
            headers = [(b"Idempotency-Key", line) for line in lines]
            refused = await server.api.ask("POST", f"/v1/{surface}", {"input": work}, headers)
            assert refused.verdict == (400, "invalid_idempotency_key")
        ids = set[str]()
        for name in ('"abc"', "abc", '"abc"'):
            reply = await server.api.ask("POST", f"/v1/{surface}", {"input": work}, {"Idempotency-Key": name})
            ids.add(reply.json[NAME[surface]])
            await server.run_becomes(reply.json[NAME[surface]], "completed")
        assert len(ids) == 2
    assert server.lines("count") == ["x"] * 4


async def test_o30_an_eager_client_of_responses_is_told_of_a_conflict_once(server: Server) -> None:
    sent: list[Any] = []

    def conflict() -> None:
        http = openai.DefaultHttpxClient(event_hooks={"request": [sent.append]})
        base = f"http://127.0.0.1:{server.port}/v1"
        with openai.OpenAI(base_url=base, api_key=KEY, max_retries=2, http_client=http) as client:
            for text in ("one", "another"):
                client.responses.create(model="m", input=text, extra_headers={"Idempotency-Key": "k"})

    with pytest.raises(openai.ConflictError) as refused:
        await trio.to_thread.run_sync(conflict)
    assert refused.value.code == "idempotency_key_conflict"
    assert len(sent) == 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("agent", "silence_s"), SILENCES)
async def test_o46_no_limit_of_the_framework_cuts_who_waits_for_a_person(
    tmp_path: Path, agent: str, silence_s: float
) -> None:
    text = script({"ask": "deploy"}, "ok")
    async with serving(tmp_path, agent) as server:
        server.patience_s += silence_s

        async def follow(surface: str) -> str:
            async with telling(server, surface, text) as stream:
                rest = await stream.rest()
                assert not stream.cut
                assert rest[-1].name == ENDS[surface]
                return said(rest)

        async def wait() -> str:
            reply = await server.api.ask("POST", "/v1/responses", {"input": text})
            assert reply.status == 200
            (message,) = [item for item in reply.json["output"] if item["type"] == "message"]
            answer: str = message["content"][0]["text"]
            return answer

        async def decide() -> None:
            prompts = await server.open_prompts(3)
            await trio.sleep(silence_s)  # the case itself: a person who takes this long
            for prompt in prompts:
                assert (await server.answer(prompt, "once")).status == 200

        *told, _ = await gather(partial(follow, "runs"), partial(follow, "responses"), wait, decide)
        assert told == ["ok"] * 3
