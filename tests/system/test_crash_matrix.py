"""The server is killed at each named point of a turn, for an agent that may be run again and for one that may not.

However it dies: the command never has more effects than it had approvals, no input is lost, every turn ends or waits for a person
before anybody knocks, and the client that sends its request once more under its key is given the same turn.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio

from placet.actors.protocol.faults import VARIABLE, Point
from tests.fakemodel import Reply, calls, fake_model, says
from tests.helpers import GONE, PATIENCE_S
from tests.helpers import Reply as Response
from tests.system.server import Server, prompt_of, serving
from tests.system.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.slow]

REPLAYED = "openai"
OPAQUE = "tests.system.agents.opaque_model:opaque"
ROUNDS = 20 if os.environ.get("PLACET_LONG") else 1
ROUND_S = 60.0
"""What a round may take on a busy machine: two starts, a turn before the kill and the rest of it afterwards."""

SETTLES_WITHIN_S = 15.0
"""After a restart, until every turn has ended or waits for a person."""

NOT_ASKED_AGAIN = {Point.DECISION_STORED, Point.RESULT_STORED, Point.SETTLED}
OUTCOME_UNKNOWN = {Point.TOOL_STARTED, Point.TOOL_HALF_DONE, Point.TOOL_ENDED}
DONE_BEFORE = {Point.TOOL_HALF_DONE, Point.TOOL_ENDED, Point.RESULT_STORED, Point.SETTLED}
"""Points at which the command has had its effect when the server dies."""

SHOWN = set(Point) - {
    Point.ADMITTED,
    Point.CLAIMED,
    Point.MODEL_CALL_BEGUN,
    Point.TOOL_CALL_RECEIVED,
    Point.PROMPT_STORED,
}
"""Points before which the client has seen a prompt."""

UNDER_WAY = """
    SELECT 1 FROM session_admissions AS a WHERE a.status = 'started'
    AND NOT EXISTS (SELECT 1 FROM approvals AS p WHERE p.admission_id = a.admission_id AND p.status = 'open')
"""
"""Turns that neither have ended nor wait for a person."""


@dataclass
class Round:
    """One request, over the death of its server and beyond.

    Attributes:
        server: its server.
        label: tells it from other rounds; the effect that its command leaves in the file `count`.
        session: the session that it names; without one it gets its own.
        run_id: the turn's, as the client learned it; empty if it never did.
        shown: prompts that it saw before the server died.
        approvals: how often somebody said yes, heard or not.
    """

    server: Server
    label: str
    session: str = ""
    run_id: str = ""
    shown: int = 0
    approvals: int = 0

    @property
    def command(self) -> str:
        """What the model wants: its effect, a word while it runs, and what makes it dangerous."""
        return f"echo {self.label} >> count; echo half; sleep 0.1; rm -f ./nothing"

    @property
    def headers(self) -> dict[str, str]:
        key = {"Idempotency-Key": self.label}
        return key | {"X-Session-Id": self.session} if self.session else key

    @property
    def effects(self) -> int:
        return self.server.lines("count").count(self.label)

    def send(self) -> Any:
        """The request, as a stream; the same whenever it is sent."""
        return self.server.chat(self.command, self.headers)

    async def retry(self) -> Response:
        """The same request, not streamed."""
        return await self.server.say(self.command, self.headers)

    async def decide(self, prompt: dict[str, Any], choice: str) -> Response:
        """Answer a prompt. A yes counts also if nobody hears that it was taken."""
        self.approvals += choice in ("once", "retry")
        return await self.server.answer(prompt, choice)

    async def until_killed(self, *, decides: bool) -> None:
        """Take part until the server kills itself, and start it again."""
        try:
            async with self.send() as stream:
                while (event := await stream.event()) is not None:
                    if event.name == "message" and event.data != "[DONE]":
                        self.run_id = event.json["id"]
                    if event.name == "approval.request":
                        self.shown += 1
                        if decides:
                            await self.decide(event.json, "once")
        except GONE:
            pass
        await revived(self.server)

    async def admission(self, run_id: str) -> str:
        """The admission that a run id stands for. It is also that of the id that the client was given before the kill."""
        found: str = (await self.server.run(run_id))["admission_id"]
        if self.run_id:
            assert (await self.server.run(self.run_id))["admission_id"] == found
        return found

    async def go_on(self, choice: str | None) -> None:
        """Join the turn by the same request, answer what it asks, and see it end.

        Args:
            choice: the answer; `None` if nothing may be asked.
        """
        async with self.send() as stream:
            assert (stream.status, stream.headers["idempotency-replayed"]) == (200, "true")
            opening = await stream.until("message")
            if choice is not None:
                assert (await self.decide(await prompt_of(stream), choice)).status == 200
            rest = await stream.rest()
        assert rest[-1].data == "[DONE]"
        assert choice is not None or not [event for event in rest if event.name == "approval.request"]
        await self.admission(opening.json["id"])

    async def give_up(self) -> None:
        """Settle the turn that the server has lost: the same request says which it is."""
        refused = await self.retry()
        assert refused.verdict == (409, "unknown_execution")
        run = await self.server.run(refused.error["run_id"])
        assert run["admission_id"] == await self.admission(run["run_id"])
        named_at_start = re.findall(r"outcome unknown  (\S+) in session", self.server.log)[-1]
        assert run["admission_id"] == await self.admission(named_at_start)
        ids = {name: run[name] for name in ("admission_id", "execution_generation")}
        resolved = await self.server.api.ask("POST", f"/v1/runs/{run['run_id']}/resolve-unknown", ids)
        assert resolved.json["status"] == "interrupted"
        again = await self.retry()
        assert (again.verdict, again.headers["idempotency-replayed"]) == ((502, "owner_lost"), "true")


def model(request: dict[str, Any]) -> Reply:
    """Wants the command that it is told, and is content with whatever comes of it."""
    last = request["messages"][-1]
    return says("done") if last["role"] == "tool" else calls(("terminal", {"command": last["content"]}))


@asynccontextmanager
async def dying(folder: Path, agent: str, at: str) -> AsyncIterator[Server]:
    """A server that kills itself at a point."""
    async with fake_model(model) as fake:
        env = {"MODEL_URL": fake.url, VARIABLE: at}
        async with serving(folder, agent, env=env, model_base_url=fake.url, model="fake") as server:
            yield server


async def revived(server: Server) -> None:
    """Wait until the server has killed itself, start it to live, and wait until no turn is under way, with nobody knocking."""
    assert server.process is not None
    with trio.fail_after(PATIENCE_S):
        assert await server.process.wait() == -signal.SIGKILL
    del server.env[VARIABLE]
    await server.restart()
    await eventually(lambda: not server.query(UNDER_WAY), SETTLES_WITHIN_S)


async def armed(server: Server, at: str) -> None:
    """Start the server anew, to die once more."""
    await server.kill()
    server.env[VARIABLE] = at
    await server.restart()


def status_of(server: Server) -> list[str]:
    """How the admissions stand, in the order in which they came."""
    return [status for (status,) in server.query("SELECT status FROM session_admissions ORDER BY rowid")]


@pytest.mark.timeout(60 + ROUND_S * ROUNDS)
@pytest.mark.parametrize("point", Point, ids=lambda point: point.value)
async def test_a_turn_that_can_be_replayed_goes_on(tmp_path: Path, point: Point) -> None:
    async with dying(tmp_path, REPLAYED, point.value) as server:
        for number in range(ROUNDS):
            if number:
                await armed(server, point.value)
            this = Round(server, f"r{number}")
            await this.until_killed(decides=point is not Point.PROMPT_SHOWN)
            assert (this.shown > 0) == (point in SHOWN)
            before = this.effects
            assert before == (point in DONE_BEFORE or point is Point.DECISION_STORED)
            retries = number % 2 == 0
            if point in NOT_ASKED_AGAIN:
                await this.go_on(None)
            elif point in OUTCOME_UNKNOWN:
                await this.go_on("retry" if retries else "failed")
            else:
                await this.go_on("once")
            done_again = point not in NOT_ASKED_AGAIN and (point not in OUTCOME_UNKNOWN or retries)
            assert this.effects == before + done_again <= this.approvals
            assert status_of(server) == ["terminal"] * (number + 1), "the retries were no new work"


@pytest.mark.timeout(60 + ROUND_S * ROUNDS)
@pytest.mark.parametrize("point", Point, ids=lambda point: point.value)
async def test_a_turn_that_cannot_is_unknown_and_never_run_again(tmp_path: Path, point: Point) -> None:
    async with dying(tmp_path, OPAQUE, point.value) as server:
        for number in range(ROUNDS):
            if number:
                await armed(server, point.value)
            this = Round(server, f"r{number}")
            await this.until_killed(decides=point is not Point.PROMPT_SHOWN)
            assert (this.shown > 0) == (point in SHOWN)
            if point is Point.SETTLED:
                await this.go_on(None)
            else:
                await this.give_up()
            assert this.effects == (point in DONE_BEFORE) <= this.approvals
            assert status_of(server) == ["terminal"] * (number + 1), "the retries were no new work"


@pytest.mark.timeout(60 + ROUND_S)
@pytest.mark.parametrize("agent", [REPLAYED, OPAQUE])
async def test_an_input_that_only_waited_is_run_after_the_one_before_it(tmp_path: Path, agent: str) -> None:
    async with dying(tmp_path, agent, f"{Point.ADMITTED.value}:2") as server:
        first, second = Round(server, "first", "s"), Round(server, "second", "s")
        async with first.send() as stream:
            first.run_id = (await stream.until("message")).json["id"]
            await prompt_of(stream)
            await second.until_killed(decides=True)
        assert not second.run_id
        assert status_of(server) == ["started" if agent == REPLAYED else "unknown", "queued"]
        if agent == REPLAYED:
            await first.go_on("once")
        else:
            await first.give_up()
        await second.go_on("once")
        assert server.lines("count") == (["first"] if agent == REPLAYED else []) + ["second"]
        assert status_of(server) == ["terminal"] * 2
