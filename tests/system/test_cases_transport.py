"""Cases about connections: silence, junk, clients that leave and clients that linger."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, NoReturn

import pytest
import trio

from tests.helpers import read_to_end, reset
from tests.system.server import SCRIPT, chat_body, script, serving, text_of
from tests.system.waiting import eventually, gather, many

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]

LONG = bool(os.environ.get("PLACET_LONG"))
IMPATIENT = "tests.system.agents.impatient:opaque"
ONE_BYTE_MORE = (
    b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: bKdPyn3u98cTfZJSh4TNeQ==\r\n\r\nx"
)
SLACK = 10
"""Descriptors that may come and go beside what a test does."""


SILENCES = [(IMPATIENT, 2.5)] + [(SCRIPT, 75.0)] * LONG
"""The framework's limit, and how long a person takes. Its own is 60 s: for the long form."""


@pytest.mark.timeout(200)
@pytest.mark.parametrize("surface", ["chat", "session", "whole"])
@pytest.mark.parametrize(("agent", "silence_s"), SILENCES)
async def test_o46_no_limit_of_the_framework_cuts_who_waits_for_a_person(
    tmp_path: Path, surface: str, agent: str, silence_s: float
) -> None:
    async with serving(tmp_path, agent) as server:
        await server.make_session("s")
        server.patience_s += silence_s
        text = script({"ask": "deploy"}, "ok")

        async def read() -> str:
            if surface == "whole":
                reply = await server.say(text)
                assert reply.status == 200
                answer: str = reply.json["choices"][0]["message"]["content"]
                return answer
            async with server.chat(text) if surface == "chat" else server.talk("s", text) as stream:
                rest = await stream.rest()
                assert not stream.cut
                return text_of(rest)

        async def decide() -> None:
            (prompt,) = await server.open_prompts()
            await trio.sleep(silence_s)  # the case itself: a person who takes this long
            assert (await server.answer(prompt, "once")).status == 200

        assert (await gather(read, decide))[0] == "ok"
        assert server.lines("decisions") == ["once approved"]


async def test_o47_one_byte_too_many_harms_nobody_else(server: Server) -> None:
    async with server.chat(script("begun ", {"wait_for": "go"}, "ok")) as stream:
        await stream.event()
        junk = await server.api.connect(ONE_BYTE_MORE)
        answer, closed = await read_to_end(junk)
        await junk.aclose()
        assert closed
        assert not answer or answer.startswith(b"HTTP/1.1 4")
        server.work.joinpath("go").touch()
        assert text_of(await stream.rest()) == "begun ok"


async def test_o48_finished_connections_are_closed(server: Server) -> None:
    before = server.open_files
    ask = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    held: list[trio.SocketStream] = []

    async def one() -> None:
        stream = await server.api.connect(ask)
        held.append(stream)
        answer, closed = await read_to_end(stream, 10)
        assert answer.startswith(b"HTTP/1.1 200")
        assert closed

    await many(500 if LONG else 100, 20, one)
    assert server.open_files <= before + SLACK
    for stream in held:
        await trio.aclose_forcefully(stream)


async def test_o50_rude_clients_leave_nothing_behind(server: Server) -> None:
    dice = random.Random(50)
    async with server.chat("warm") as stream:
        await stream.rest()
    before = server.open_files
    body = chat_body(script({"words": 20, "every_s": 0.01}, "end"), stream=True)

    async def leave_a_stream() -> None:
        call = await server.api.begin("POST", "/v1/chat/completions", body)
        for _ in range(dice.randrange(4)):
            await call.event()
        await call.reset()

    async def only_connect() -> None:
        await (await server.api.connect()).aclose()

    async def leave_half_a_head() -> None:
        await reset(await server.api.connect(b"POST /v1/chat/completions HTTP/1.1\r\nHo"))

    rounds = [leave_a_stream] * 3 + [only_connect, leave_half_a_head]
    await many(500 if LONG else 100, 20, lambda: dice.choice(rounds)())
    await eventually(lambda: server.open_files <= before + SLACK)
    left = "SELECT count(*) FROM session_admissions WHERE outcome IS NOT 'completed'"
    await eventually(lambda: server.query(left) == [(0,)])


async def test_o51_slow_senders_are_cut_and_admit_nothing(tmp_path: Path) -> None:
    count = 200 if LONG else 40
    async with serving(tmp_path, head_timeout_s=1, body_timeout_s=1) as server:
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        key = f"Authorization: Bearer {server.api.key}\r\n".encode()
        slow = [await server.api.connect(head) for _ in range(count // 2)]
        slow += [
            await server.api.connect(head + key + b'Content-Length: 1000\r\n\r\n{"messages')
            for _ in range(count // 2)
        ]
        assert (await server.say("ok")).status == 200
        for stream in slow:
            answer, closed = await read_to_end(stream)
            assert closed
            assert not answer or answer.startswith(b"HTTP/1.1 408")
            await stream.aclose()
        assert server.query("SELECT count(*) FROM session_admissions") == [(1,)]


async def test_o51_one_byte_now_and_then_does_not_buy_time(tmp_path: Path) -> None:
    async with serving(tmp_path, head_timeout_s=2) as server:
        async with await server.api.connect(b"GET /health HTTP/1.1\r\nX: ") as stream:
            with pytest.raises(trio.BrokenResourceError), trio.fail_after(15):
                await _drip(stream)


async def _drip(stream: trio.SocketStream) -> NoReturn:
    while True:
        await stream.send_all(b"x")
        await trio.sleep(0.2)  # the case itself
