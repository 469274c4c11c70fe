"""A terminal that a test can type into and read from: a tmux server of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from tests.cli.calling import environment
from tests.helpers import PATIENCE_S
from tests.system.server import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.system.server import Server

LOOK_EVERY_S = 0.05
WIDTH, HEIGHT = 110, 50

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux: apt-get install tmux")


class Pane:
    """One terminal with one program in it."""

    def __init__(self, name: str) -> None:
        self._tmux = ["tmux", "-L", name, "-f", "/dev/null", "-u"]

    async def run(self, *arguments: str) -> str:
        """A command of tmux; what it prints."""
        done = await trio.run_process([*self._tmux, *arguments], capture_stdout=True, capture_stderr=True)
        return done.stdout.decode()

    async def text(self, *flags: str) -> str:
        """What is on the screen, without the empty rest; `-e` with its colours."""
        return (await self.run("capture-pane", "-p", *flags)).rstrip("\n")

    async def until(self, pattern: str) -> str:
        """The screen once it matches."""
        text = ""
        with trio.move_on_after(PATIENCE_S):
            while re.search(pattern, text := await self.text()) is None:  # noqa: ASYNC110 - a screen rings no bell
                await trio.sleep(LOOK_EVERY_S)
        assert re.search(pattern, text), f"{pattern!r} does not come:\n{text}"
        return text

    async def type(self, text: str) -> None:
        """Type this text, and Enter."""
        await self.run("send-keys", "-l", text)
        await self.press("Enter")

    async def press(self, *keys: str) -> None:
        """Press keys, by tmux's names for them."""
        await self.run("send-keys", *keys)


@asynccontextmanager
async def showing(server: Server, *arguments: str, **environ: str) -> AsyncIterator[Pane]:
    """`placet` with these arguments in a terminal. When it ends the pane says `exit=` and its status."""
    name = f"placet-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    pane = Pane(name)
    names = environment(server) | {"LC_ALL": "C.UTF-8"} | environ
    assignments = [f"{key}={value}" for key, value in names.items() if key != "TERM" and value]
    command = shlex.join(["env", *assignments, sys.executable, "-m", "placet", *arguments])
    size = ["-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(ROOT)]
    await pane.run("new-session", "-d", *size, f'{command}; echo "exit=$?"; exec cat')
    try:
        yield pane
    finally:
        with trio.move_on_after(5, shield=True):
            await trio.run_process(
                ["tmux", "-L", name, "kill-server"], check=False, stderr=subprocess.DEVNULL
            )
