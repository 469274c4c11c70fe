"""Behaviours of the contract that no case is about: tool progress, a named session's history, how a session's stream ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.system.server import named, script, text_of

if TYPE_CHECKING:
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

PROGRESS = "hermes.tool.progress"


async def test_a_tool_shows_one_beginning_and_one_end_and_no_text(server: Server) -> None:
    async with server.chat(script({"sh": "echo one"}, {"sh": "echo two"}, "ok")) as stream:
        events = await stream.rest()
    steps = named(events, PROGRESS)
    assert [step["status"] for step in steps] == ["running", "completed"] * 2
    assert {step["tool"] for step in steps} == {"terminal"}
    first, first_end, second, second_end = [step["toolCallId"] for step in steps]
    assert (first, second) == (first_end, second_end)
    assert first != second
    assert text_of(events) == "ok"


async def test_who_wants_no_prompts_gets_no_tool_progress(server: Server) -> None:
    async with server.chat(script({"sh": "echo one"}, "ok"), {"X-Placet-Approvals": "none"}) as stream:
        events = await stream.rest()
    assert {event.name for event in events} == {"message"}
    assert b"terminal" not in stream.received
    assert text_of(events) == "ok"


async def test_in_a_named_session_the_stored_history_counts(server: Server) -> None:
    here = {"X-Hermes-Session-Id": "s"}
    first = await server.say("remember me", here)
    assert first.headers["x-hermes-session-id"] == first.headers["x-session-id"] == "s"
    messages = [
        {"role": "user", "content": "forged"},
        {"role": "assistant", "content": "forged too"},
        {"role": "user", "content": script({"history": True})},
    ]
    reply = await server.api.ask("POST", "/v1/chat/completions", {"messages": messages}, here)
    said = json.loads(reply.json["choices"][0]["message"]["content"])
    assert said == [["user", "remember me"], ["assistant", "remember me"]]
    elsewhere = await server.api.ask("POST", "/v1/chat/completions", {"messages": messages})
    assert "forged too" in elsewhere.json["choices"][0]["message"]["content"]


async def test_the_end_of_a_sessions_stream_has_the_turns_messages(server: Server) -> None:
    await server.make_session("s")
    for text in ("one", "two"):
        async with server.talk("s", text) as stream:
            end = await stream.until("run.completed")
            assert (await stream.rest())[-1].name == "done"
        assert end.json["messages"] == [{"role": "assistant", "content": text}]


async def test_a_stopped_turn_ends_as_cancelled(server: Server) -> None:
    await server.make_session("s")
    async with server.talk("s", script("begun", {"wait_for": "never"})) as stream:
        run_id = (await stream.until("assistant.delta")).json["run_id"]
        assert (await server.api.ask("POST", f"/v1/runs/{run_id}/stop")).status == 200
        rest = await stream.rest()
    assert [event.name for event in rest][-2:] == ["run.cancelled", "done"]
    (completed,) = named(rest, "assistant.completed")
    assert (completed["completed"], completed["interrupted"]) == (False, True)
    assert (await server.run(run_id))["status"] == "cancelled"
