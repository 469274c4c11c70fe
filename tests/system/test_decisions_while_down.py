"""A decision that meets a server going down or coming up is stored and used once, or refused so that it can be sent again."""

from __future__ import annotations

import signal
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw
import pytest
import trio

from placet.actors.protocol.faults import VARIABLE, Point
from tests.helpers import GONE, PATIENCE_S
from tests.system.server import REPLAYED, SCRIPT, STOP_S, prompt_of, script, serving
from tests.system.waiting import gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Reply
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

PEOPLE = 10
APART_S = 0.08
"""Between two of their decisions. The first comes within the grace, the last when nobody listens any more."""


def dangerous(label: str) -> str:
    """A script whose command leaves its label in the file `count` if somebody allows it."""
    return script({"sh": f"echo {label} >> count; rm -f ./nothing"}, "ok")


async def asked(server: Server, label: str) -> dict[str, Any]:
    """A turn's prompt; its client has left."""
    async with server.chat(dangerous(label)) as stream:
        return await prompt_of(stream)


async def decide(server: Server, prompt: dict[str, Any], choice: str = "once") -> Reply | None:
    """Decide in the inbox, whatever the generation; `None` if the server is gone before it answers."""
    path = f"/v1/approvals/{prompt['request_id']}/decision"
    try:
        return await server.api.ask("POST", path, {"choice": choice})
    except (*GONE, AssertionError):  # cut inside the response
        return None


def terminate(server: Server) -> None:
    assert server.process is not None
    server.process.send_signal(signal.SIGTERM)


async def draining(server: Server) -> None:
    """Wait until the server takes no more work."""
    with trio.fail_after(STOP_S):
        while (await server.api.ask("GET", "/health")).json["status"] == "ok":  # noqa: ASYNC110 - a process
            await trio.lowlevel.checkpoint()


async def links(server: Server, prompt: dict[str, Any]) -> list[str | None]:
    """What the audit says was chosen, once for each time that the prompt ended."""
    chain = (await server.api.ask("GET", "/v1/audit")).json["data"]
    return [link["choice"] for link in chain if link["request_id"] == prompt["request_id"]]


@pytest.mark.parametrize("agent", [REPLAYED, SCRIPT])
async def test_within_the_grace_it_is_used_at_once(tmp_path: Path, agent: str) -> None:
    async with serving(tmp_path, agent, drain_grace_s=30) as server:
        async with server.chat(dangerous("x")) as stream:
            prompt = await prompt_of(stream)
            terminate(server)
            await draining(server)
            decided = await decide(server, prompt)
            assert decided is not None
            assert decided.json["status"] == "resolved"
            assert (await stream.rest())[-1].data == "[DONE]"
        await server.ends()
        assert server.lines("count") == ["x"]
        await server.restart()
        assert (await server.run(prompt["run_id"]))["output"] == "ok"
        assert server.lines("count") == ["x"]
        assert await links(server, prompt) == ["once"]


async def test_at_every_moment_of_a_shutdown_it_is_kept_or_can_be_sent_again(tmp_path: Path) -> None:
    async with serving(tmp_path, REPLAYED, drain_grace_s=0.3) as server:
        labels = [f"p{number}" for number in range(PEOPLE)]
        prompts = await gather(*[partial(asked, server, label) for label in labels])
        terminate(server)
        replies = await gather(*[partial(_later, server, *plan) for plan in enumerate(prompts)])
        await server.ends()
        await server.restart()
        for prompt, reply, label in zip(prompts, replies, labels, strict=True):
            await _kept_or_refused(server, prompt, reply)
            was_cut = await _see_it_end(server, prompt["run_id"])
            assert server.lines("count").count(label) in ((0, 1) if was_cut else (1,))
            assert await links(server, prompt) == ["once"]


async def _later(server: Server, place: int, prompt: dict[str, Any]) -> Reply | None:
    await trio.sleep(APART_S * place)
    return await decide(server, prompt)


async def _kept_or_refused(server: Server, prompt: dict[str, Any], reply: Reply | None) -> None:
    """What was answered is so; what was not, is decided now unless it had been stored all the same."""
    if reply is not None and reply.status == 200:
        return
    if reply is not None:
        assert reply.status == 503
        assert int(reply.headers["retry-after"]) >= 1
    row = (await server.api.ask("GET", f"/v1/approvals/{prompt['request_id']}")).json
    assert row["status"] == "open" or (reply is None and row["status"] == "approved")
    if row["status"] == "open":
        again = await decide(server, prompt)
        assert again is not None
        assert again.json["status"] == "resolved"


async def _see_it_end(server: Server, run_id: str) -> bool:
    """The turn goes on by itself. If the grace ended while its command ran, it asks, is told no, and that is returned."""
    run = await server.run_becomes(run_id, "completed", "waiting_for_approval")
    if run["status"] == "completed":
        return False
    assert run["approval"]["kind"] == "outcome_unknown"
    assert (await server.answer(run["approval"], "failed")).status == 200
    await server.run_becomes(run_id, "completed")
    return True


async def test_an_opaque_turn_that_was_cut_takes_no_decision(tmp_path: Path) -> None:
    async with serving(tmp_path, SCRIPT, drain_grace_s=0.2) as server:
        prompt = await asked(server, "x")
        await server.stop()
        await server.restart()
        late = await decide(server, prompt)
        assert late is not None
        assert late.verdict == (409, "approval_not_pending")
        assert (await server.run(prompt["run_id"]))["status"] == "interrupted"
        assert server.lines("count") == []


async def test_while_the_server_recovers_it_waits_and_is_used(tmp_path: Path) -> None:
    async with serving(tmp_path, REPLAYED) as server:
        labels = [f"p{number}" for number in range(PEOPLE)]
        prompts = await gather(*[partial(asked, server, label) for label in labels])
        await server.kill()
        replies: list[Reply | None] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.restart)
            replies = await gather(*[partial(_as_soon_as_possible, server, prompt) for prompt in prompts])
        for prompt, reply, label in zip(prompts, replies, labels, strict=True):
            assert reply is not None
            assert (reply.status, reply.json["status"]) == (200, "resolved")
            await server.run_becomes(prompt["run_id"], "completed")
            assert server.lines("count").count(label) == 1
            assert (await server.answer(prompt, "once")).status == 409


async def _as_soon_as_possible(server: Server, prompt: dict[str, Any]) -> Reply | None:
    """Decide from the moment on when the server can be connected to, long before it says that it can answer."""
    with trio.fail_after(2 * PATIENCE_S):
        while (reply := await decide(server, prompt)) is None:  # noqa: ASYNC110 - a process
            await trio.sleep(0.02)
        return reply


@pytest.mark.parametrize("choice", ["once", "deny"])
async def test_stored_and_then_killed_it_is_used_once(tmp_path: Path, choice: str) -> None:
    at = {VARIABLE: Point.DECISION_STORED.value}
    async with serving(tmp_path, REPLAYED, env=at) as server:
        prompt = await asked(server, "x")
        assert await decide(server, prompt, choice) is None
        assert server.process is not None
        with trio.fail_after(PATIENCE_S):
            assert await server.process.wait() == -signal.SIGKILL
        del server.env[VARIABLE]
        await server.restart()
        await server.run_becomes(prompt["run_id"], "completed")
        for other in ("once", "deny"):
            again = await decide(server, prompt, other)
            assert again is not None
            assert again.verdict == (409, "already_resolved")
            assert again.error["decision"]["choice"] == choice
        assert server.lines("count") == (["x"] if choice == "once" else [])
        assert await links(server, prompt) == [choice]


async def test_what_cannot_be_stored_is_refused_and_can_be_sent_again(tmp_path: Path) -> None:
    async with serving(tmp_path, REPLAYED) as server:
        prompt = await asked(server, "x")
        with closing(apsw.Connection(str(server.database))) as other:
            other.set_busy_timeout(5000)
            other.execute("BEGIN IMMEDIATE")
            refused = await decide(server, prompt)
            other.execute("ROLLBACK")
        assert refused is not None
        assert refused.verdict == (503, "storage_unavailable")
        assert int(refused.headers["retry-after"]) >= 1
        assert (await server.run(prompt["run_id"]))["status"] == "waiting_for_approval"
        assert server.lines("count") == []
        again = await decide(server, prompt)
        assert again is not None
        assert again.json["status"] == "resolved"
        await server.run_becomes(prompt["run_id"], "completed")
        assert server.lines("count") == ["x"]
        assert await links(server, prompt) == ["once"]
