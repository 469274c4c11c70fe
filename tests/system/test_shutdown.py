"""Case O49: SIGTERM while much is going on. Everything ends well and in time, and nothing says that it runs when it does not."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.system.server import REPLAYED, SCRIPT, CommandServer, Server, chat_body, prompt_of, script, serving
from tests.system.under_hypercorn import HypercornServer
from tests.system.waiting import gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Call

pytestmark = [pytest.mark.server, pytest.mark.slow]

CHAT = "/v1/chat/completions"
QUIET = script("quiet ", {"wait_for": "go"}, "ok")
BUSY = script({"words": 100_000, "every_s": 0.02}, "ok")
FLOOD = script({"words": 100_000, "every_s": 0.005, "size": 16_000}, "ok")
HURRIED_S = 8.0
"""For a shutdown whose grace was 30 s and was skipped."""

kinds = pytest.mark.parametrize("kind", [CommandServer, HypercornServer])


async def _open(server: Server, text: str, **more: Any) -> tuple[str, Call]:
    """A stream that has begun, and its run's id."""
    call = await server.api.begin("POST", CHAT, chat_body(text, stream=True), **more)
    assert call.status == 200
    event = await call.event()
    assert event is not None
    return event.json["id"], call


async def _bustle(server: Server) -> tuple[dict[str, Call], Call, dict[str, Any]]:
    """Ten quiet streams, ten busy ones, one whose reader is stalled, and one with its prompt open.

    Returns:
        The streams that are read, by their run's id; the stalled one; the prompt.
    """
    opened = await gather(*[partial(_open, server, text) for text in [QUIET, BUSY] * 10])
    _, stalled = await _open(server, FLOOD, receive_buffer=4096)
    run_id, asking = await _open(server, script({"ask": "deploy"}, "ok"))
    prompt = await prompt_of(asking)
    return dict(opened) | {run_id: asking}, stalled, prompt


async def _close(*calls: Call) -> None:
    for call in calls:
        await trio.aclose_forcefully(call.stream)


async def _stop_while_busy(server: Server) -> tuple[dict[str, Call], dict[str, Any]]:
    streams, stalled, prompt = await _bustle(server)
    async with trio.open_nursery() as nursery:
        for call in streams.values():
            nursery.start_soon(call.rest)
        await server.stop()
    for call in streams.values():
        assert not call.cut
        assert call.parser.is_whole
        assert call.received.endswith(b"\n\n")
        assert b"[DONE]" not in call.received
        assert b'"finish_reason":"stop"' not in call.received
    await _close(*streams.values(), stalled)
    return streams, prompt


@kinds
async def test_o49_opaque_turns_are_interrupted_and_say_so(tmp_path: Path, kind: type[Server]) -> None:
    async with serving(tmp_path, SCRIPT, kind=kind, drain_grace_s=5) as server:
        streams, prompt = await _stop_while_busy(server)
        await server.restart()
        for run_id in streams:
            assert (await server.run(run_id))["status"] == "interrupted"
        assert (await server.answer(prompt, "once")).verdict == (409, "approval_not_pending")
        assert server.lines("decisions") == []


@kinds
async def test_o49_turns_that_can_be_replayed_are_parked_and_go_on(
    tmp_path: Path, kind: type[Server]
) -> None:
    async with serving(tmp_path, REPLAYED, kind=kind, drain_grace_s=0.5) as server:
        streams, prompt = await _stop_while_busy(server)
        rows = server.query("SELECT status FROM approvals")
        assert rows == [("open",)]
        await server.restart()
        for run_id in streams:
            run = await server.run_becomes(run_id, "running", "waiting_for_approval")
            assert run["execution_generation"] > 1
        again = (await server.run(prompt["run_id"]))["approval"]
        assert again["request_id"] == prompt["request_id"]
        assert (await server.answer(again, "once")).json["status"] == "resolved"
        await server.run_becomes(prompt["run_id"], "completed")
        assert server.lines("decisions") == ["once approved"]
        assert server.query("SELECT count(*) FROM session_admissions WHERE status = 'unknown'") == [(0,)]


async def test_a_turn_that_ends_within_the_grace_ends_whole(tmp_path: Path) -> None:
    async with serving(tmp_path, drain_grace_s=30) as server:
        run_id, stream = await _open(server, QUIET)
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        await server.until_draining()
        refused = await server.say("more work")
        assert refused.verdict == (503, "gateway_draining")
        assert int(refused.headers["retry-after"]) >= 1
        server.work.joinpath("go").touch()
        events = await stream.rest()
        assert events[-1].data == "[DONE]"
        await _close(stream)
        await server.ends()
        await server.restart()
        assert (await server.run(run_id))["output"] == "quiet ok"


async def test_a_second_signal_skips_the_grace(tmp_path: Path) -> None:
    async with serving(tmp_path, drain_grace_s=30) as server:
        run_id, stream = await _open(server, BUSY)
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        await server.until_draining()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stream.rest)
            await server.stop(HURRIED_S)
        assert stream.parser.is_whole
        assert not stream.cut
        await _close(stream)
        await server.restart()
        assert (await server.run(run_id))["status"] == "interrupted"
