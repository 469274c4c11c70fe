"""Case O14: the server is killed while a prompt is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.system.server import REPLAYED, SCRIPT, prompt_of, script, serving, text_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow]

DANGER = {"sh": "rm -rf ./victim"}
KEY_HEADER = {"Idempotency-Key": "again"}


async def test_o14_a_turn_that_can_be_replayed_asks_again_under_a_new_generation(tmp_path: Path) -> None:
    async with serving(tmp_path, REPLAYED) as server:
        victim = server.victim()
        text = script("begun ", DANGER, "ok")
        async with server.chat(text, KEY_HEADER) as stream:
            before = await prompt_of(stream)
            await server.kill()
        await server.restart()
        run = await server.run_becomes(before["run_id"], "waiting_for_approval")
        after = run["approval"]
        assert after["request_id"] == before["request_id"]
        assert after["execution_generation"] > before["execution_generation"]
        assert after["digest"] == before["digest"]
        assert (await server.answer(before, "once")).verdict == (409, "stale_generation")
        assert victim.exists()
        async with server.chat(text, KEY_HEADER) as stream:
            again = await prompt_of(stream)
            assert [again[name] for name in ("request_id", "execution_generation")] == [
                after[name] for name in ("request_id", "execution_generation")
            ]
            assert (await server.answer(again, "once")).json["status"] == "resolved"
            await stream.rest()
        assert (await server.run(before["run_id"]))["output"] == "begun ok"
        assert not victim.exists()
        assert (await server.answer(after, "once")).status == 409


async def test_o14_an_opaque_turn_is_held_as_unknown_until_somebody_settles_it(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPT) as server:
        victim = server.victim()
        text = script(DANGER, "ok")
        async with server.chat(text, KEY_HEADER) as stream:
            before = await prompt_of(stream)
            await server.kill()
        await server.restart()
        run = await server.run_becomes(before["run_id"], "unknown")
        assert (await server.answer(before, "once")).verdict == (409, "approval_not_pending")
        assert (await server.say(text, KEY_HEADER)).verdict == (409, "unknown_execution")
        path = f"/v1/runs/{before['run_id']}/resolve-unknown"
        body = {name: run[name] for name in ("admission_id", "execution_generation")}
        wrong = await server.api.ask("POST", path, body | {"execution_generation": 999})
        assert wrong.verdict == (409, "stale_generation")
        assert (await server.api.ask("POST", path, body)).json["status"] == "interrupted"
        run = await server.run(before["run_id"])
        assert (run["status"], run["approval"]) == ("interrupted", None)
        assert [row["status"] for row in run["approvals"]] == ["cancelled"]
        assert victim.exists()


async def test_o14_a_server_may_be_told_to_give_opaque_turns_up(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPT, recovery="interrupt") as server:
        victim = server.victim()
        here = {"X-Hermes-Session-Id": "s"}
        async with server.chat(script(DANGER, "ok"), here) as stream:
            before = await prompt_of(stream)
            async with server.chat("next", here | KEY_HEADER) as queued:
                assert queued.status == 200
                await server.kill()
        await server.restart()
        await server.run_becomes(before["run_id"], "interrupted")
        assert (await server.answer(before, "once")).verdict == (409, "approval_not_pending")
        async with server.chat("next", here | KEY_HEADER) as queued:
            assert text_of(await queued.rest()) == "next"
        assert victim.exists()


async def test_o14_what_expired_while_the_server_was_down_is_expired(tmp_path: Path) -> None:
    async with serving(tmp_path, REPLAYED) as server:
        victim = server.victim()
        text = script({"ask": "deploy", "timeout_s": 1}, DANGER, "ok")
        async with server.chat(text, KEY_HEADER) as stream:
            before = await prompt_of(stream)
            await server.kill()
        await server.restart()
        async with server.chat(text, KEY_HEADER) as stream:
            danger = await stream.until("approval.request")
            while danger.json["request_id"] == before["request_id"]:
                danger = await stream.until("approval.request")
            assert (await server.answer(before, "once")).status == 409
            await server.answer(danger.json, "deny")
            await stream.rest()
        assert server.lines("decisions") == ["None expired"]
        assert victim.exists()
