"""Servers that bring tools: there, away, slow, broken. The protocol's library is not needed here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from placet.actors.agents.mcp import Bench
from placet.actors.agents.mcp.bench import START_S
from placet.actors.agents.mcp.session import Described
from placet.actors.agents.model import McpServer
from placet.actors.agents.tools import Request, ToolError
from placet.actors.agents.tools.shell import terminal
from placet.actors.protocol.errors import StartRefused
from tests.agents.fakes import APPROVED, DENIED, FakeTurn

SERVER = McpServer(name="demo", command=("demo-server",))
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


class FakeServer:
    """What `connect` leads to: it fails so many times first, and does what its `behave` says when called."""

    def __init__(self, *, failures: int = 0, behave: Any = None) -> None:
        self.failures = failures
        self.connections = 0
        self.called: list[tuple[str, dict[str, Any]]] = []
        self.crash = trio.Event()
        self._behave = behave

    @asynccontextmanager
    async def connect(self, server: McpServer) -> AsyncIterator[FakeServer]:
        await trio.lowlevel.checkpoint()
        self.connections += 1
        if self.connections <= self.failures:
            raise ExceptionGroup("", [OSError("no such program")])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._crash_when_told)
            yield self
            nursery.cancel_scope.cancel()

    async def _crash_when_told(self) -> None:
        await self.crash.wait()
        self.crash = trio.Event()
        raise ValueError("the library's reader died")

    async def tools(self) -> tuple[Described, ...]:
        await trio.lowlevel.checkpoint()
        return (Described("add", "Add.", SCHEMA), Described("odd name/" + "x" * 80, "", {}))

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        self.called.append((name, arguments))
        if self._behave is not None:
            await self._behave()
        return "3"


@asynccontextmanager
async def bench_of(server: FakeServer) -> AsyncIterator[Bench]:
    bench = Bench({"terminal": terminal}, (SERVER,), server.connect)
    async with bench.open():
        yield bench


def names(bench: Bench) -> list[str]:
    return [tool.name for tool in bench.offered()]


async def call(bench: Bench, *answers: Any, name: str = "demo_add", **more: Any) -> tuple[str, FakeTurn]:
    turn = FakeTurn(answers=answers, **more)
    tool = bench.find(name)
    assert tool is not None
    return await tool.run(turn, Request("c1", {"a": 1})), turn


async def test_its_tools_are_offered_under_its_name() -> None:
    async with bench_of(FakeServer()) as bench:
        assert names(bench) == ["terminal", "demo_add", ("demo_odd_name_" + "x" * 80)[:64]]
        added = bench.offered()[1]
    assert (added.description, added.parameters) == ("Add.", SCHEMA)
    assert bench.find("sing") is None


async def test_each_call_is_asked_about() -> None:
    server = FakeServer()
    async with bench_of(server) as bench:
        told, turn = await call(bench, DENIED)
        assert "denied" in told
        assert server.called == []
        assert turn.asks()[0]["command"] == 'demo_add {"a":1}'
        told, turn = await call(bench, APPROVED)
    assert told == "3"
    assert server.called == [("add", {"a": 1})]
    assert turn.kinds() == ["step", "ask", "start", "end"]


async def test_a_server_that_is_not_there_is_tried_again(autojump_clock: trio.testing.MockClock) -> None:
    server = FakeServer(failures=3)
    async with bench_of(server) as bench:
        assert names(bench) == ["terminal"]
        told, turn = await call(bench, APPROVED)
        assert told == "The server demo is not there now."
        assert turn.events[-1][2] is True
        await trio.sleep(7.5)
        assert "demo_add" in names(bench)
    assert server.connections == 4


async def test_one_that_never_answers_keeps_nobody_from_starting(
    autojump_clock: trio.testing.MockClock,
) -> None:
    class Silent(FakeServer):
        async def tools(self) -> tuple[Described, ...]:
            await trio.sleep_forever()
            return ()

    server = Silent()
    async with bench_of(server) as bench:
        assert trio.current_time() == START_S
        assert names(bench) == ["terminal"]
        await trio.sleep(60)
    assert server.connections == 3


async def test_a_connection_that_closes_under_a_call_is_told_and_made_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def close() -> None:
        raise ConnectionError

    server = FakeServer(behave=close)
    async with bench_of(server) as bench:
        told, _ = await call(bench, APPROVED)
        assert told.startswith("The server demo went away")
        await trio.sleep(2)
        assert "demo_add" in names(bench)
    assert server.connections == 2


async def test_a_library_that_breaks_ends_the_calls_and_nothing_else(
    autojump_clock: trio.testing.MockClock,
) -> None:
    server = FakeServer(behave=trio.sleep_forever)
    async with bench_of(server) as bench:
        async with trio.open_nursery() as nursery:

            async def ask() -> None:
                told, _ = await call(bench, APPROVED)
                assert told.startswith("The server demo went away")

            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            server.crash.set()
        await trio.sleep(2)
        assert "demo_add" in names(bench)


async def test_a_call_that_takes_too_long_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    async with bench_of(FakeServer(behave=trio.sleep_forever)) as bench:
        told, _ = await call(bench, APPROVED)
        assert told == "The call took too long and was given up."
        assert trio.current_time() == 600
        assert "demo_add" in names(bench)


async def test_what_a_tool_says_of_its_failure_is_told() -> None:
    async def fail() -> None:
        raise ToolError("no such number")

    async with bench_of(FakeServer(behave=fail)) as bench:
        told, turn = await call(bench, APPROVED)
    assert told == "no such number"
    assert turn.events[-1][2] is True


async def test_a_journaled_call_finds_its_result_while_the_server_is_away(
    autojump_clock: trio.testing.MockClock,
) -> None:
    look = {"verdict": "ask"}
    async with bench_of(FakeServer(failures=9)) as bench:
        told, _ = await call(bench, APPROVED, steps=(look,), tools=({"text": "3, as it was"},))
    assert told == "3, as it was"


async def test_a_stop_while_the_library_breaks_is_a_stop() -> None:
    server = FakeServer()
    with trio.CancelScope() as scope:
        async with bench_of(server):
            server.crash.set()
            scope.cancel()
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught


def test_without_the_library_the_server_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mcp", None)
    with pytest.raises(StartRefused, match="placet\\[mcp\\]"):
        Bench({}, (SERVER,))
    assert Bench({}, ()).offered() == []


def test_what_may_hold_keys_is_never_shown() -> None:
    server = McpServer(
        name="x", command=("prog", "--key=secret"), env={"K": "secret"}, headers={"A": "secret"}
    )
    assert "secret" not in f"{server!r}"
