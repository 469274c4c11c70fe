"""Calling `placet` as its users do: for one answer, or as a process that goes on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import trio
from click.testing import CliRunner

from placet.http.cli import main
from tests.helpers import PATIENCE_S
from tests.system.server import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from click.testing import Result

    from tests.system.server import Server

TALKER = "tests.cli.agent:talker"


def environment(server: Server, url: str = "") -> dict[str, str]:
    """What names the server, and the usual terminal."""
    names = {"PLACET_URL": url or f"http://127.0.0.1:{server.port}", "PLACET_API_KEY": server.key or ""}
    return names | {"XDG_STATE_HOME": str(server.folder / "state"), "TERM": "xterm-256color", "NO_COLOR": ""}


async def call(server: Server, *arguments: str, stdin: str | None = None, **environ: str) -> Result:
    """Call a command in this process; it has a trio of its own, so it gets a thread of its own."""
    env = environment(server) | environ

    def invoke() -> Result:
        return CliRunner().invoke(main, arguments, input=stdin, env=env)

    result = await trio.to_thread.run_sync(invoke)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


async def ask_json(server: Server, *arguments: str) -> Any:
    """The one object that a command prints with `--json`."""
    result = await call(server, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@dataclass
class Process:
    """A command that runs, with pipes in place of a terminal.

    Attributes:
        output: what it has written to standard output so far.
    """

    process: trio.Process
    output: str = ""

    async def until(self, pattern: str) -> re.Match[str]:
        """Read until the output matches."""
        assert self.process.stdout is not None
        with trio.fail_after(PATIENCE_S):
            while (found := re.search(pattern, self.output)) is None:
                received = await self.process.stdout.receive_some()
                assert received, self.output
                self.output += received.decode()
        return found

    async def say(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self.process.stdin is not None
        await self.process.stdin.send_all(f"{line}\n".encode())

    async def end(self) -> int:
        """End its input, read the rest of its output; its status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        await self.process.stdin.aclose()
        with trio.fail_after(PATIENCE_S):
            async for received in self.process.stdout:
                self.output += received.decode()
            return await self.process.wait()


@asynccontextmanager
async def started(server: Server, *arguments: str, url: str = "") -> AsyncIterator[Process]:
    """A command as a process, which ends with the block."""
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "placet", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | environment(server, url),
        cwd=str(ROOT),
    )
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
            with trio.move_on_after(5, shield=True):
                await process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with trio.move_on_after(1, shield=True):
                await pipe.aclose()
