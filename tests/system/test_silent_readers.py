"""Fifty clients that never read and one that does: what they are not told costs no memory, and the one is not slowed."""

from __future__ import annotations

import os
import re
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from tests.system.server import script, serving

if TYPE_CHECKING:
    from tests.helpers import Call
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]

LONG = bool(os.environ.get("PLACET_LONG"))
SILENT = 50
SESSIONS, TURNS = (10, 4) if LONG else (2, 2)
WORDS, SIZE = 320, 16_000
"""5 MB a turn, more than the kernel holds for a connection whose other end does not read: 200 MB in all, or 20 in the short form.

Over several sessions, because a turn is given its session's history: that is memory too, and no reader's fault.
"""

GROWTH_MAX_KB = 100_000
SLOWER_MOST = 5.0
"""Times as long as without the silent ones. They must not be waited for; the rest is the noise of a busy machine."""

TURN = script({"words": WORDS, "every_s": 0, "size": SIZE})


def memory_kb(server: Server, name: str) -> int:
    """A line of the process's status: `VmRSS` is what it holds, `VmHWM` the most that it ever held."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    found = re.search(rf"^{name}:\s+(\d+) kB$", status, re.MULTILINE)
    assert found is not None, status
    return int(found[1])


async def watch(server: Server, session_id: str, receive_buffer: int | None = None) -> Call:
    """A viewer of a session who has been told of its beginning."""
    path = f"/api/sessions/{session_id}/events"
    call = await server.api.begin("GET", path, receive_buffer=receive_buffer)
    assert call.status == 200
    assert (await call.event()) is not None
    return call


async def read_turns(server: Server, reader: Call, session_id: str, count: int) -> float:
    """Have turns run, and how many seconds the reader takes for them. Every word comes, in order."""
    began = time.monotonic()
    for _ in range(count):
        body = {"input": TURN, "session_id": session_id}
        assert (await server.api.ask("POST", "/v1/runs", body)).status == 202
        await read_turn(reader)
    return time.monotonic() - began


async def read_turn(reader: Call) -> None:
    """Read to the end of a turn. Every word comes, in order."""
    number = 0
    while (event := await reader.event()) is not None and event.name != "run.completed":
        if event.name == "message.delta":
            for word in event.json["delta"].split():
                number += 1
                assert word == f"w{number}"
    assert number == WORDS


async def test_who_does_not_read_costs_no_memory_and_slows_nobody(tmp_path: Path) -> None:
    # They may be stuck for longer than a client usually may: nobody is cut here.
    async with serving(tmp_path, send_timeout_s=900) as server, AsyncExitStack() as stack:
        server.patience_s = 60

        async def viewer(session_id: str, receive_buffer: int | None = None) -> Call:
            call = await watch(server, session_id, receive_buffer)
            stack.push_async_callback(trio.aclose_forcefully, call.stream)
            return call

        await server.make_session("quiet")
        alone_s = await read_turns(server, await viewer("quiet"), "quiet", 1)

        sessions = [f"s{number}" for number in range(SESSIONS)]
        silent: list[Call] = []
        for session_id in sessions:
            await server.make_session(session_id)
            silent += [await viewer(session_id, 4096) for _ in range(SILENT // SESSIONS)]
        before_kb = memory_kb(server, "VmRSS")

        took_s = [
            await read_turns(server, await viewer(session_id), session_id, TURNS) for session_id in sessions
        ]
        grown_kb = memory_kb(server, "VmHWM") - before_kb
        per_turn_s = sum(took_s) / (SESSIONS * TURNS)
        print(f"grew by {grown_kb} kB; a turn took {alone_s:.2f} s alone, {per_turn_s:.2f} s among {SILENT}")
        assert grown_kb < GROWTH_MAX_KB
        assert per_turn_s < SLOWER_MOST * alone_s
        for _ in range(TURNS):
            await read_turn(silent[-1])  # and what it had not read it has not lost
