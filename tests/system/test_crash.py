"""The server is killed at random moments, over and over on one data directory. What it said stays true; what ran had its yes."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import trio

from tests.helpers import GONE
from tests.system.server import REPLAYED, SCRIPT, chat_body, script, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Call
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

ROUNDS = 200 if os.environ.get("PLACET_LONG") else 6
CLIENTS = 8
SESSIONS = ("s0", "s1", "s2", "s3")
KILLED_WITHIN_S = 0.8
SETTLED_WITHIN_S = 30.0

TERMINAL = {REPLAYED: {"completed"}, SCRIPT: {"completed", "interrupted"}}
"""How a run may have ended that was accepted before a kill."""


UNSETTLED = "SELECT count(*) FROM session_admissions WHERE status != 'terminal'"
UNKNOWN = """
  SELECT run_id, admission_id, generation FROM session_admissions JOIN run_aliases USING (admission_id)
  WHERE status = 'unknown' GROUP BY admission_id
"""


@dataclass
class Witness:
    """What the clients were told, and what they said.

    Attributes:
        accepted: ids of runs whose response had begun.
        fresh: those of the round that goes on.
        left_open: the generation of each prompt that was shown and nobody answered, by its request id.
        allowed: the commands for which a yes was sent, whether or not its answer came back.
    """

    accepted: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    left_open: dict[str, int] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)


@pytest.mark.timeout(60 + 30 * ROUNDS)
@pytest.mark.parametrize("agent", [REPLAYED, SCRIPT])
async def test_nothing_that_was_promised_is_lost_and_nothing_runs_unasked(tmp_path: Path, agent: str) -> None:
    dice = random.Random(agent)
    witness = Witness()
    async with serving(tmp_path, agent) as server:
        for number in range(ROUNDS):
            witness.left_open.clear()
            witness.fresh.clear()
            await _until_killed(server, dice, number, witness)
            await server.restart()
            for run_id in witness.fresh:
                await server.run(run_id)
            await _check_open(server, agent, witness)
            await _settle(server, agent, witness.fresh)
            witness.accepted |= witness.fresh
            ran = server.lines("ran")
            assert len(ran) == len(set(ran))
            assert set(ran) <= witness.allowed
        assert witness.accepted
        await _settle(server, agent, witness.accepted)
        assert server.query("SELECT count(*) FROM session_admissions WHERE status != 'terminal'") == [(0,)]


async def _until_killed(server: Server, dice: random.Random, number: int, witness: Witness) -> None:
    async with trio.open_nursery() as nursery:
        for client in range(CLIENTS):
            plan = (f"{number}-{client}", dice.choice(SESSIONS), dice.choice(("once", "once", "deny", None)))
            nursery.start_soon(_client, server, witness, *plan)
        await trio.sleep(dice.uniform(0.05, KILLED_WITHIN_S))
        await server.kill()


async def _client(server: Server, witness: Witness, label: str, session: str, choice: str | None) -> None:
    text = script({"sh": f"rm -f ./nothing; echo {label} >> ran"}, "ok")
    headers = {"X-Session-Id": session, "Idempotency-Key": label}
    try:
        call = await server.api.begin("POST", "/v1/chat/completions", chat_body(text, stream=True), headers)
    except GONE:
        return
    try:
        await _take_part(server, witness, call, label, choice)
    except GONE:
        pass
    finally:
        await trio.aclose_forcefully(call.stream)


async def _take_part(server: Server, witness: Witness, call: Call, label: str, choice: str | None) -> None:
    assert call.status == 200
    while (event := await call.event()) is not None:
        if event.name == "message" and event.data != "[DONE]" and "id" in event.json:
            witness.fresh.add(event.json["id"])
        if event.name != "approval.request":
            continue
        prompt = event.json
        if choice is None:
            witness.left_open[prompt["request_id"]] = prompt["execution_generation"]
            continue
        if choice == "once":
            witness.allowed.add(label)
        await server.answer(prompt, choice)


async def _check_open(server: Server, agent: str, witness: Witness) -> None:
    """A prompt that nobody answered is open under a new generation, or its run says that it was lost."""
    for request_id, generation in witness.left_open.items():
        row = (await server.api.ask("GET", f"/v1/approvals/{request_id}")).json
        if agent == REPLAYED:
            assert row["status"] == "open"
            assert row["execution_generation"] > generation
        else:
            assert row["status"] == "cancelled"
            assert (await server.run(row["run_id"]))["status"] == "unknown"


async def _settle(server: Server, agent: str, accepted: set[str]) -> None:
    """Answer no to all that asks, and settle all that is unknown, until nothing is left to run.

    Also what no client was told of: it was admitted just before the kill, and holds up its session like any other.
    """
    with trio.move_on_after(SETTLED_WITHIN_S) as scope:
        await _say_no_until_all_has_ended(server)
    runs = [await server.run(run_id) for run_id in accepted]
    assert not scope.cancelled_caught, runs
    assert {run["status"] for run in runs} <= TERMINAL[agent], runs


async def _say_no_until_all_has_ended(server: Server) -> None:
    while server.query(UNSETTLED) != [(0,)]:
        for prompt in await server.inbox():
            await server.answer(prompt, "failed" if prompt["kind"] == "outcome_unknown" else "deny")
        for run_id, admission_id, generation in server.query(UNKNOWN):
            await _resolve(server, run_id, admission_id, generation)


async def _resolve(server: Server, run_id: str, admission_id: str, generation: int) -> None:
    ids = {"admission_id": admission_id, "execution_generation": generation}
    reply = await server.api.ask("POST", f"/v1/runs/{run_id}/resolve-unknown", ids)
    assert reply.json["status"] == "interrupted"
