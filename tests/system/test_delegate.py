"""Agents that run inside another one's turn, on a real server: who asks is seen, decided, stopped, and found again after a kill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.system.server import named, prompt_of, serving, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Call

pytestmark = [pytest.mark.server, pytest.mark.slow]

FAMILY = "tests.system.agents.family:parent"
COMMANDS = ("rm -rf ./victim", "rm -rf ./other")
PATHS = {"root/child#1", "root/child#2"}


async def _both(stream: Call) -> dict[str, Any]:
    """The prompts of both children, by command."""
    prompts = [await prompt_of(stream), await prompt_of(stream)]
    assert {prompt["path"] for prompt in prompts} == PATHS
    return {prompt["command"]: prompt for prompt in prompts}


async def test_childrens_prompts_are_seen_on_the_turns_stream_and_in_the_inbox(tmp_path: Path) -> None:
    async with serving(tmp_path, FAMILY) as server:
        victim, other = server.victim(), server.work / "other"
        other.mkdir()
        async with server.chat("\n".join(COMMANDS)) as stream:
            prompts = await _both(stream)
            assert {row["path"] for row in await server.open_prompts(2)} == PATHS
            assert (await server.answer(prompts[COMMANDS[0]], "once")).status == 200
            assert (await server.answer(prompts[COMMANDS[1]], "deny")).status == 200
            rest = await stream.rest()
        assert text_of(rest) == "ran rm -rf ./victim, refused rm -rf ./other"
        done = [item for item in named(rest, "hermes.tool.progress") if item["tool"] == "delegate"]
        assert {item["toolCallId"] for item in done if item["status"] == "completed"} == PATHS
        assert (victim.exists(), other.exists()) == (False, True)


async def test_a_stop_of_the_run_stops_its_children(tmp_path: Path) -> None:
    async with serving(tmp_path, FAMILY) as server:
        victim = server.victim()
        async with server.chat("\n".join(COMMANDS)) as stream:
            prompts = await _both(stream)
            run_id = prompts[COMMANDS[0]]["run_id"]
            assert (await server.api.ask("POST", f"/v1/runs/{run_id}/stop")).status == 200
            await stream.rest()
        run = await server.run_becomes(run_id, "cancelled")
        assert {row["path"]: row["status"] for row in run["approvals"]} == dict.fromkeys(PATHS, "cancelled")
        assert (await server.answer(prompts[COMMANDS[0]], "once")).status == 409
        assert victim.exists()


async def test_after_a_kill_the_children_wait_on_under_the_same_ids_and_paths(tmp_path: Path) -> None:
    async with serving(tmp_path, FAMILY) as server:
        victim = server.victim()
        async with server.chat("\n".join(COMMANDS)) as stream:
            before = await _both(stream)
            await server.kill()
        await server.restart()
        run_id = before[COMMANDS[0]]["run_id"]
        await server.run_becomes(run_id, "waiting_for_approval")
        after = {row["command"]: row for row in await server.open_prompts(2)}
        for command, row in after.items():
            for name in ("request_id", "path", "digest"):
                assert row[name] == before[command][name]
            assert (await server.answer(row, "once")).status == 200
        run = await server.run_becomes(run_id, "completed")
        assert run["output"] == "ran rm -rf ./victim, ran rm -rf ./other"
        assert not victim.exists()
