"""Cases about the database: held by somebody else, pinned by a viewer, left behind by a kill."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import apsw
import pytest
import trio

from tests.system.server import REPLAYED, SCRIPT, prompt_of, script, serving, text_of
from tests.system.waiting import eventually, many

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

LONG = bool(os.environ.get("PLACET_LONG"))
MIB = 1024 * 1024


@pytest.mark.parametrize("hold_s", [3.0, 0.1])
async def test_o52_who_holds_the_lock_delays_and_loses_nothing(server: Server, hold_s: float) -> None:
    replies: list[Any] = []

    async def post() -> None:
        replies.append(await server.say("ok"))

    async def stay_healthy() -> None:
        for _ in range(5):
            with trio.fail_after(2):
                assert (await server.api.ask("GET", "/health")).status == 200

    for _ in range(1 if hold_s > 1 else 20 if LONG else 5):
        held = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_hold, server.database, hold_s, held)
            await held.wait()
            nursery.start_soon(stay_healthy)
            nursery.start_soon(many, 50 if LONG else 20, 20, post)
    assert {reply.status for reply in replies} <= {200, 503}
    assert all("retry-after" in reply.headers for reply in replies if reply.status == 503)
    accepted = {reply.json["id"] for reply in replies if reply.status == 200}
    assert accepted
    assert accepted <= {run_id for (run_id,) in server.query("SELECT run_id FROM run_aliases")}


async def _hold(database: Path, hold_s: float, held: trio.Event) -> None:
    """Hold the write lock from outside; that is the case itself, so it takes real time."""
    connection = apsw.Connection(str(database))
    connection.set_busy_timeout(5000)
    try:
        await trio.to_thread.run_sync(connection.execute, "BEGIN IMMEDIATE")
        held.set()
        await trio.sleep(hold_s)
        connection.execute("ROLLBACK")
    finally:
        connection.close()


async def test_o53_a_viewer_does_not_pin_the_log(server: Server) -> None:
    log = server.database.with_name("placet.db-wal")
    sizes: list[int] = []

    async def turn() -> None:
        assert (await server.say("ok")).status == 200
        sizes.append(log.stat().st_size)

    async with server.chat(script({"wait_for": "go"}, "ok")) as viewer:
        await viewer.event()
        await many(3000 if LONG else 200, 8, turn)
        assert max(sizes) < 64 * MIB
        server.work.joinpath("go").touch()
        assert text_of(await viewer.rest()) == "ok"
    await eventually(lambda: log.stat().st_size < 16 * MIB, 60)


@pytest.mark.parametrize(("agent", "status"), [(REPLAYED, "waiting_for_approval"), (SCRIPT, "unknown")])
async def test_o54_a_killed_turn_keeps_the_conversation_and_is_not_run_twice(
    tmp_path: Path, agent: str, status: str
) -> None:
    here = {"X-Hermes-Session-Id": "s"}
    third = script({"sh": "rm -f ./nothing; echo s >> log; sleep 20; echo e >> log"}, "three")
    async with serving(tmp_path, agent) as server:
        for said in ("one", "two"):
            assert (await server.say(said, here)).json["choices"][0]["message"]["content"] == said
        async with server.chat(third, here) as stream:
            prompt = await prompt_of(stream)
            await server.answer(prompt, "once")
            await eventually(lambda: server.lines("log"))
            await server.kill()
        await server.restart()

        run = await server.run_becomes(prompt["run_id"], status)
        assert server.lines("log") == ["s"]
        history = script({"history": True})
        async with server.chat(history, here) as after:
            assert after.status == 200
            await _settle(server, run)
            told = json.loads(text_of(await after.rest()))
        assert [text for role, text in told if role == "user"] == ["one", "two", third]
        assert [text for role, text in told if role == "assistant"][:2] == ["one", "two"]
        assert server.lines("log") == ["s"]


async def _settle(server: Server, run: dict[str, Any]) -> None:
    """End what is held because nobody knows what its command did."""
    if run["status"] == "unknown":
        ids = {name: run[name] for name in ("admission_id", "execution_generation")}
        reply = await server.api.ask("POST", f"/v1/runs/{run['run_id']}/resolve-unknown", ids)
        assert reply.json["status"] == "interrupted"
    else:
        assert run["approval"]["kind"] == "outcome_unknown"
        assert (await server.answer(run["approval"], "failed")).status == 200
