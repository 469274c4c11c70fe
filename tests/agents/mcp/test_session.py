"""The protocol's own library against a real server, over standard streams and over HTTP."""

from __future__ import annotations

import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio

from placet.actors.agents.mcp import Bench
from placet.actors.agents.model import McpServer
from placet.actors.agents.tools import Request
from tests.agents.fakes import APPROVED, FakeTurn
from tests.system.waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.server, pytest.mark.slow]

SCRIPT = str(Path(__file__).with_name("real_server.py"))


@asynccontextmanager
async def started(way: str) -> AsyncIterator[Bench]:
    """A bench with the real server on it."""
    if way == "stdio":
        bench = Bench({}, (McpServer(name="real", command=(sys.executable, SCRIPT), env={"OWN": "1"}),))
        async with bench.open():
            yield bench
        return
    port = _free_port()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.run_process, [sys.executable, SCRIPT, str(port)])
        await _listening(port)
        bench = Bench({}, (McpServer(name="real", url=f"http://127.0.0.1:{port}/mcp"),))
        async with bench.open():
            yield bench
        nursery.cancel_scope.cancel()


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


async def _listening(port: int) -> None:
    with trio.fail_after(30):
        while True:
            try:
                await trio.aclose_forcefully(await trio.open_tcp_stream("127.0.0.1", port))
                return
            except OSError:
                await trio.sleep(0.05)


async def call(bench: Bench, name: str, **arguments: Any) -> str:
    tool = bench.find(f"real_{name}")
    assert tool is not None
    with trio.fail_after(30):
        return await tool.run(FakeTurn(answers=(APPROVED,)), Request("c1", arguments))


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_its_tools_are_listed_and_called(way: str) -> None:
    async with started(way) as bench:
        offered = {tool.name: tool for tool in bench.offered()}
        assert set(offered) == {"real_add", "real_fail", "real_environment", "real_die"}
        assert offered["real_add"].description == "Add two numbers."
        assert set(offered["real_add"].parameters["properties"]) == {"a", "b"}
        assert await call(bench, "add", a=1, b=2) == "3"
        assert "inner workings" not in await call(bench, "fail")
        assert "a" in await call(bench, "add", a="x")


async def test_it_gets_none_of_the_servers_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACET_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    async with started("stdio") as bench:
        names = (await call(bench, "environment")).split()
    assert "OWN" in names
    assert not [name for name in names if name.endswith("_API_KEY")]


async def test_a_server_that_dies_under_a_call_is_started_again() -> None:
    async with started("stdio") as bench:
        assert (await call(bench, "die")).startswith("The server real went away")
        await eventually(bench.offered, patience_s=30)
        assert await call(bench, "add", a=1, b=2) == "3"
