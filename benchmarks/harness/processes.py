"""Contestants as running processes."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from benchmarks.contestants import Unavailable
from benchmarks.contestants.contestant import KEY, Place
from benchmarks.harness import gauges
from benchmarks.harness.client import Connection, Lost, request
from benchmarks.harness.places import SERVER_CORE, free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from benchmarks.contestants import Contestant

START_S = 90.0
STOP_S = 20.0
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Running:
    """A contestant that answers.

    Attributes:
        name: the contestant's.
        port: on 127.0.0.1.
        process: its process.
        started_s: from the start of the process to its first answer.
        directory: its data.
    """

    name: str
    port: int
    process: subprocess.Popen[bytes] = field(repr=False)
    started_s: float
    directory: Path

    @property
    def cpu_s(self) -> float:
        """Processor seconds used so far."""
        return gauges.cpu_s(self.process.pid)

    @property
    def rss_bytes(self) -> int:
        """Memory held now."""
        return gauges.rss_bytes(self.process.pid)

    async def connect(self, *, buffer_bytes: int = 0) -> Connection:
        """A new connection to it; see `Connection.open`."""
        return await Connection.open("127.0.0.1", self.port, buffer_bytes=buffer_bytes)

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """One request on a connection of its own, and the JSON of its answer.

        Raises:
            Lost: the answer is an error.
        """
        async with await self.connect() as connection:
            response = await connection.ask(request(method, path, body, key=KEY, **headers))
        if response.status >= 300:
            raise Lost(f"{method} {path}: {response.status} {response.body[:500]!r}")
        return response.json()

    async def watch(self, path: str, *, buffer_bytes: int = 0) -> Connection:
        """A connection on which a stream has begun."""
        connection = await self.connect(buffer_bytes=buffer_bytes)
        await connection.send(request("GET", path, key=KEY))
        await connection.head()
        return connection

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@asynccontextmanager
async def running(
    contestant: Contestant, directory: Path, model_url: str, *, pinned: bool
) -> AsyncIterator[Running]:
    """Start a contestant; stop it at the end of the block.

    Args:
        contestant: which.
        directory: for its data and its log; made if it is not there.
        model_url: of the model it asks.
        pinned: whether it runs on the servers' core.

    Raises:
        Unavailable: it cannot be installed or does not start.
    """
    begun = trio.current_time()
    process, port = _start(contestant, directory, model_url)
    try:
        if pinned:
            os.sched_setaffinity(process.pid, SERVER_CORE)
        if not await _answers(process, port):
            raise Unavailable(f"{contestant.name} did not start: {_last_line(directory)}")
        yield Running(contestant.name, port, process, trio.current_time() - begun, directory)
    finally:
        _stop(process)


def _start(contestant: Contestant, directory: Path, model_url: str) -> tuple[subprocess.Popen[bytes], int]:
    directory.mkdir(parents=True, exist_ok=True)
    place = Place(free_port(), directory, model_url)
    command = contestant.command(place)
    with directory.with_suffix(".log").open("ab") as log:
        environment = {**os.environ, **command.environment}
        process = subprocess.Popen(command.arguments, env=environment, cwd=ROOT, stdout=log, stderr=log)
    return process, place.port


async def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    """Wait for the first answer. Whether it came."""
    patience = trio.current_time() + START_S
    while process.poll() is None and trio.current_time() < patience:
        try:
            async with await Connection.open("127.0.0.1", port) as connection:
                if (await connection.ask(request("GET", "/health"))).status == 200:
                    return True
        except (OSError, Lost, trio.BrokenResourceError):
            pass
        await trio.sleep(0.005)
    return False


def _last_line(directory: Path) -> str:
    lines = directory.with_suffix(".log").read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
