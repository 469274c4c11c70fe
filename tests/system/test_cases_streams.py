"""Cases about streams: coming back to one, sharing one, leaving one, and what a failed turn looks like on one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.system.server import named, script, serving, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Call, Event
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

surfaces = pytest.mark.parametrize("surface", ["chat", "session"])
KEY_HEADER = {"Idempotency-Key": "again"}


def _open(server: Server, surface: str, text: str) -> Any:
    return server.chat(text, KEY_HEADER) if surface == "chat" else server.talk("s", text, KEY_HEADER)


def _run_id(data: dict[str, Any]) -> str:
    run_id: str = data.get("run_id") or data["id"]
    return run_id


async def _some_words(stream: Call, count: int) -> tuple[str, str]:
    """Read until so many words have come; the run's id and the text."""
    events: list[Event] = []
    while text_of(events).count(" ") < count:
        event = await stream.event()
        assert event is not None
        events.append(event)
    return _run_id(events[0].json), text_of(events)


@surfaces
async def test_o20_who_comes_back_to_a_live_run_misses_nothing(tmp_path: Path, surface: str) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")
        text = script({"words": 50, "every_s": 0.02}, {"wait_for": "go"}, "end")
        whole = "".join(f"w{number} " for number in range(1, 51)) + "end"
        async with _open(server, surface, text) as first:
            run_id, seen = await _some_words(first, 10)
            assert whole.startswith(seen)
            await first.reset()
        assert (await server.run(run_id))["status"] == "running"
        async with _open(server, surface, text) as second:
            assert (second.status, second.headers["idempotency-replayed"]) == (200, "true")
            again, caught_up = await _some_words(second, 20)
            assert again != run_id
            server.work.joinpath("go").touch()
            rest = await second.rest()
            assert caught_up + text_of(rest) == whole
        assert (rest[-1].data == "[DONE]") if surface == "chat" else (rest[-1].name == "done")
        async with _open(server, surface, text) as after:
            assert text_of(await after.rest()) == whole
        for known in (run_id, again):
            run = await server.run(known)
            assert (run["status"], run["output"]) == ("completed", whole)


async def test_o20_ids_of_a_session_stream_only_rise(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")
        async with server.talk("s", script({"words": 20, "every_s": 0.005}, "end")) as stream:
            events = await stream.rest()
        ids = [int(event.id) for event in events if event.id]
        assert ids == sorted(ids)
        assert len(set(ids)) > 1
        seqs = [event.json["seq"] for event in events]
        assert seqs == sorted(seqs)


@surfaces
async def test_o21_one_who_does_not_read_takes_nothing_from_the_other(tmp_path: Path, surface: str) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")
        # 6 MB: more than the kernel holds for a connection whose other end does not read.
        text = script({"wait_for": "go"}, {"words": 400, "every_s": 0.001, "size": 16000}, "end")
        async with _open(server, surface, text) as reader:
            await reader.event()
            path, body = _request(surface, text)
            stalled = await server.api.begin("POST", path, body, KEY_HEADER, receive_buffer=4096)
            assert stalled.status == 200
            await stalled.event()
            server.work.joinpath("go").touch()
            received = text_of(await reader.rest())
            assert received.split() == [*(f"w{number}" for number in range(1, 401)), "end"]
            await trio.aclose_forcefully(stalled.stream)


def _request(surface: str, text: str) -> tuple[str, dict[str, Any]]:
    if surface == "session":
        return "/api/sessions/s/chat/stream", {"message": text}
    return "/v1/chat/completions", {
        "model": "placet",
        "stream": True,
        "messages": [{"role": "user", "content": text}],
    }


async def test_o22_a_turn_goes_on_when_its_client_leaves(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")
        text = script("Hello.", {"wait_for": "go"}, {"append": "out"}, "bye")
        async with server.talk("s", text, KEY_HEADER) as stream:
            run_id = (await stream.until("assistant.delta")).json["run_id"]
            await stream.reset()
        stored = server.query("SELECT payload_json FROM session_admissions WHERE target_session_id = 's'")
        assert len(stored) == 1
        assert "bye" in stored[0][0]
        assert (await server.run(run_id))["status"] == "running"
        server.work.joinpath("go").touch()
        assert (await server.run_becomes(run_id, "completed"))["output"] == "Hello.bye"
        assert server.lines("out") == ["x"]
        async with server.talk("s", script({"history": True})) as later:
            history = json.loads(text_of(await later.rest()))
        assert history == [["user", text], ["assistant", "Hello.bye"]]


async def test_o23_a_failed_turn_does_not_look_like_an_answer(tmp_path: Path) -> None:
    secret = "the-inside-of-the-agent"
    text = script("half", {"raise": secret})
    async with serving(tmp_path, tracebacks=True) as server:
        await server.make_session("s")
        async with server.chat(text) as stream:
            events = await stream.rest()
        run_id = events[0].json["id"]
        assert text_of(events[:-1]) == "half"
        assert set(events[-1].json["error"]) >= {"message", "type", "param", "code"}
        assert not any('"finish_reason":"stop"' in event.data or event.data == "[DONE]" for event in events)
        async with server.talk("s", text) as session:
            told = await session.rest()
        assert [event.name for event in told][-2:] == ["run.failed", "done"]
        assert not named(told, "run.completed")
        whole = await server.say(text)
        assert whole.status >= 500
        assert whole.error["type"] == "server_error"
        run = await server.run(run_id)
        assert run["status"] == "failed"
        assert run["error"]["message"]
        for said in (bytes(stream.received), bytes(session.received), whole.body, json.dumps(run).encode()):
            assert secret.encode() not in said.replace(json.dumps(text)[1:-1].encode(), b"")


async def test_o23_a_retry_of_a_failed_request_tells_the_same_failure(tmp_path: Path) -> None:
    text = script({"append": "count"}, {"raise": "boom"})
    async with serving(tmp_path, tracebacks=True) as server:
        first, second = await server.say(text, KEY_HEADER), await server.say(text, KEY_HEADER)
        assert first.verdict == second.verdict
        assert first.status >= 500
        async with server.chat(text, KEY_HEADER) as stream:
            assert (await stream.rest())[-1].json["error"]["code"] == first.error["code"]
        assert server.lines("count") == ["x"]
