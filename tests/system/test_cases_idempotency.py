"""Cases about `Idempotency-Key`: an exact retry is the same request, and nothing else is. Work is counted in a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
from functools import partial
from typing import TYPE_CHECKING, Any

import openai
import pytest
import trio

from tests.helpers import GONE, Api
from tests.system.server import KEY, REPLAYED, chat_body, script, serving, text_of
from tests.system.waiting import gather

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

WORK = script({"append": "count"}, "ok")
CHAT = "/v1/chat/completions"
CRASHES = 30 if os.environ.get("PLACET_LONG") else 4


def key(name: str) -> dict[str, str]:
    return {"Idempotency-Key": name}


async def test_o24_one_key_with_two_bodies_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        other = script({"append": "count"}, "another")
        first = await server.say(WORK, key("k1"))
        assert first.json["choices"][0]["message"]["content"] == "ok"
        for refused in (
            await server.say(other, key("k1")),
            await server.say(other, key("k1"), stream=True),
            await server.say(WORK, key("k1") | {"X-Session-Id": "elsewhere"}),
        ):
            assert refused.verdict == (409, "idempotency_key_conflict")
            assert refused.headers["x-should-retry"] == "false"
            assert first.json["id"].encode() not in refused.body
        again = await server.say(WORK, key("k1"))
        assert again.headers["idempotency-replayed"] == "true"
        assert again.json["choices"] == first.json["choices"]
        assert server.lines("count") == ["x"]


@pytest.mark.parametrize("surface", ["chat", "session"])
async def test_o25_twenty_at_once_are_one(tmp_path: Path, surface: str) -> None:
    async with serving(tmp_path) as server:
        await server.make_session("s")

        async def post() -> str:
            if surface == "session":
                async with server.talk("s", WORK, key("k")) as stream:
                    assert stream.status == 200
                    return text_of(await stream.rest())
            reply = await server.say(WORK, key("k"))
            assert reply.status == 200, reply
            answer: str = reply.json["choices"][0]["message"]["content"]
            return answer

        assert await gather(*[post] * 20) == ["ok"] * 20
        assert server.lines("count") == ["x"]
        assert server.query("SELECT count(*) FROM session_admissions") == [(1,)]


async def test_o25_nineteen_of_twenty_may_leave(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        body = chat_body(script({"wait_for": "go"}, {"append": "count"}, "ok"), stream=True)
        calls = await gather(*[partial(server.api.begin, "POST", CHAT, body, key("k"))] * 20)
        stays = calls.pop(random.Random(25).randrange(20))
        for call in calls:
            await call.reset()
        server.work.joinpath("go").touch()
        assert text_of(await stays.rest()) == "ok"
        await stays.stream.aclose()
        assert server.lines("count") == ["x"]


async def test_o26_a_refused_request_does_not_burn_its_key(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        refused = await server.api.ask("POST", CHAT, {"messages": []}, key("k2"))
        assert refused.status == 400
        assert (await server.say(WORK, key("k2"))).status == 200
        stranger = Api(server.port, "not-the-key-of-this-server")
        assert (await stranger.ask("POST", CHAT, chat_body(WORK), key("k3"))).status == 401
        assert (await server.say(WORK, key("k3"))).status == 200
        assert server.lines("count") == ["x", "x"]


async def test_o27_the_meaning_counts_and_not_the_bytes(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        body = chat_body(WORK, user="me")
        written = json.dumps(body).replace("append", "\\u0061ppend").replace("ok", "o\\u006B")
        variants: list[Any] = [
            written.encode(),
            json.dumps(dict(reversed(body.items())), indent=3).encode(),
            body | {"stream": True},
            body | {"x_unknown": {"a": 1}},
            body | {"placet": {"approvals": "chunk"}},
        ]
        for variant in variants:
            reply = await server.api.ask("POST", CHAT, variant, key("k4") | {"User-Agent": f"{id(variant)}"})
            assert reply.status == 200, reply
        assert server.lines("count") == ["x"]
        changed = await server.api.ask("POST", CHAT, body | {"temperature": 0.5}, key("k4"))
        assert changed.verdict == (409, "idempotency_key_conflict")


async def test_o28_a_key_reaches_no_other_route_session_or_principal(tmp_path: Path) -> None:
    other = "another-principal-0123456789"
    digest = hashlib.sha256(other.encode()).hexdigest()
    config = f'[[principal]]\nname = "other"\nkey_sha256 = "{digest}"\nrole = "client"\n'
    async with serving(tmp_path, config=config) as server:
        await server.make_session("s")
        first = await server.say(WORK, key("k5"))
        async with server.talk("s", WORK, key("k5")) as stream:
            assert stream.status == 200
            assert "idempotency-replayed" not in stream.headers
            await stream.rest()
        elsewhere = await server.say(WORK, key("k5") | {"X-Hermes-Session-Id": "t"})
        assert elsewhere.verdict == (409, "idempotency_key_conflict")
        stranger = Api(server.port, other)
        theirs = await stranger.ask("POST", CHAT, chat_body(WORK), key("k5"))
        assert theirs.status == 200
        assert "idempotency-replayed" not in theirs.headers
        assert theirs.headers["x-session-id"] != first.headers["x-session-id"]
        assert len(server.lines("count")) == 3
        hidden = await stranger.ask("GET", f"/v1/runs/{first.json['id']}")
        assert hidden.verdict == (404, "run_not_found")


async def test_o29_a_key_survives_a_crash(tmp_path: Path) -> None:
    dice = random.Random(29)
    async with serving(tmp_path, REPLAYED) as server:
        acknowledged: list[str] = []
        for number in range(CRASHES):
            text = script({"sh": f"echo {number} >> count"}, "ok")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_post_until_dead, server, text, number, acknowledged)
                await trio.sleep(dice.uniform(0, 0.3))
                await server.kill()
            await server.restart()
            assert await _post_again(server, text, number) == "ok"
        for run_id in acknowledged:
            assert (await server.run(run_id))["status"] == "completed"
        count = server.lines("count")
        assert len(count) == len(set(count))


async def _post_until_dead(server: Server, text: str, number: int, acknowledged: list[str]) -> None:
    try:
        call = await server.api.begin("POST", CHAT, chat_body(text, stream=True), key(f"c{number}"))
    except GONE:
        return
    first = await call.event()
    if first is not None:
        acknowledged.append(first.json["id"])
    await trio.aclose_forcefully(call.stream)


async def _post_again(server: Server, text: str, number: int) -> str:
    """The answer of an exact retry. Where it is not known what the command did, it is taken as failed, not run again."""
    events = []
    async with server.chat(text, key(f"c{number}")) as stream:
        assert stream.status == 200
        while (event := await stream.event()) is not None:
            events.append(event)
            if event.name == "approval.request":
                assert event.json["kind"] == "outcome_unknown"
                assert (await server.answer(event.json, "failed")).status == 200
    return text_of(events)


@pytest.mark.parametrize(
    "lines",
    [[b""], [b"k" * 300], [b"k" * 256], [b"one", b"two"], [b"caf\xe9"], [b"a\tb"], [b"a b"]],
    ids=["empty", "300", "256", "two lines", "latin-1", "tab", "space"],
)
async def test_o30_an_awkward_key_is_refused_as_json(lines: list[bytes], server: Server) -> None:
    headers = [(b"Idempotency-Key", line) for line in lines]
    reply = await server.api.ask("POST", CHAT, chat_body(WORK), headers)
    assert reply.verdict == (400, "invalid_idempotency_key")
    assert server.lines("count") == []


async def test_o30_quotes_are_part_of_a_key(server: Server) -> None:
    for name in ('"abc"', "abc", '"abc"', "k" * 255):
        assert (await server.say(WORK, key(name))).status == 200
    assert len(server.lines("count")) == 3


async def test_o30_an_eager_client_is_told_of_a_conflict_once(server: Server) -> None:
    await server.say(WORK, key("k1"))
    sent: list[Any] = []

    def conflict() -> None:
        http = openai.DefaultHttpxClient(event_hooks={"request": [sent.append]})
        base = f"http://127.0.0.1:{server.port}/v1"
        with openai.OpenAI(base_url=base, api_key=KEY, max_retries=2, http_client=http) as client:
            body = chat_body(script({"append": "count"}, "another"))
            client.chat.completions.create(**body, extra_headers=key("k1"))

    with pytest.raises(openai.ConflictError) as refused:
        await trio.to_thread.run_sync(conflict)
    assert refused.value.code == "idempotency_key_conflict"
    assert len(sent) == 1
    assert server.lines("count") == ["x"]
