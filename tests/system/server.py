"""A server as its operator has it: a process, a data directory, a log."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import trio

from tests.helpers import PATIENCE_S, Api, Call, Reply
from tests.system.warm import Warm, hatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.helpers import Event, Headers

ROOT = Path(__file__).parents[2]
KEY = "a-key-for-the-tests-0123456789"
LISTENING = b"placet: listening on http://127.0.0.1:"
SCRIPT = "tests.system.agents.script:opaque"
REPLAYED = "tests.system.agents.script:replayed"

TRACEBACK = re.compile("Traceback|exc_type")
"""How an error that nobody expected shows in the log, raw or structured."""

START_S = 30.0
"""Until the line that says where it listens: an interpreter with all its imports, on a machine that runs other tests."""

STOP_S = 10.0
"""What the contract allows between SIGTERM and the end."""


@dataclass
class Server:
    """One data directory and the process that serves it now.

    Attributes:
        folder: of the test. `data` in it is the data directory, `work` the workspace.
        agent: what runs turns.
        settings: of the server, by name.
        env: for the agent.
        key: the API key; `None` starts without keys.
        config: a configuration file's text.
        patience_s: of its clients.
        port: where it listens; 0 until it has been started.
        process: the one that runs, or ran last.
        started: every process id so far.
    """

    folder: Path
    agent: str
    settings: dict[str, Any]
    env: dict[str, str]
    key: str | None
    config: str = ""
    patience_s: float = PATIENCE_S
    port: int = 0
    process: Warm | trio.Process | None = None
    started: list[int] = field(default_factory=list)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def database(self) -> Path:
        return self.folder / "data" / "placet.db"

    @property
    def log(self) -> str:
        """All that any of the processes wrote to standard error."""
        return (self.folder / "log").read_text()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def api(self) -> Api:
        return Api(self.port, self.key, self.patience_s)

    @property
    def open_files(self) -> int:
        """How many descriptors the process holds."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def arguments(self) -> list[str]:
        """What the command is told; the port stays over restarts."""
        command = ["serve", "--port", str(self.port)]
        command += ["--data-dir", str(self.folder / "data"), "--agent", self.agent]
        command += ["--workspace", str(self.work)]
        if self.config:
            (self.folder / "placet.toml").write_text(self.config)
            command += ["--config", str(self.folder / "placet.toml")]
        return command if self.key is not None else [*command, "--no-auth"]

    def environment(self) -> dict[str, str]:
        """The settings as variables, and what the agent needs."""
        settings = {f"PLACET_{name.upper()}": str(value) for name, value in self.settings.items()}
        if self.key is not None:
            settings["PLACET_API_KEY"] = self.key
        return os.environ | settings | self.env

    async def start(self) -> None:
        """Start it and wait until it says that it can answer."""
        self.work.mkdir(exist_ok=True)
        with (self.folder / "log").open("a") as log:
            process = await self.launch(log.fileno())
        self.process = process
        self.started.append(process.pid)
        with trio.fail_after(START_S):
            await self.answers(process)

    async def launch(self, log: int) -> Warm | trio.Process:
        """Make the process."""
        return hatch(self.arguments(), env=self.environment(), cwd=ROOT, log=log)

    async def answers(self, process: Warm | trio.Process) -> None:
        """Wait until it says that it can answer, and where."""
        assert process.stdout is not None
        line = b""
        while not line.endswith(b"\n"):
            received = await process.stdout.receive_some(1000)
            assert received, self.log
            line += received
        assert line.startswith(LISTENING), line
        self.port = int(line.removeprefix(LISTENING))

    async def stop(self, patience_s: float = STOP_S) -> None:
        """SIGTERM; it must end well, and in time."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        await self.ends(patience_s)

    async def ends(self, patience_s: float = STOP_S) -> None:
        """Wait for its end, which must be a good one."""
        assert self.process is not None
        with trio.fail_after(patience_s):
            code = await self.process.wait()
        assert code == 0, (code, self.log)

    async def kill(self) -> None:
        """SIGKILL: what was not on disk is gone."""
        assert self.process is not None
        self.process.kill()
        with trio.fail_after(PATIENCE_S):
            await self.process.wait()

    async def restart(self) -> None:
        """Start on the same data and the same port, after `stop` or `kill`."""
        await self.start()

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the database from outside."""
        connection = apsw.Connection(str(self.database), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(5000)
        try:
            return list(connection.execute(sql, values))
        finally:
            connection.close()

    def lines(self, name: str) -> list[str]:
        """The lines of a file in the workspace; none if it is not there."""
        place = self.work / name
        return place.read_text().splitlines() if place.exists() else []

    def victim(self) -> Path:
        """A directory with a file in it, for `rm -rf ./victim`."""
        place = self.work / "victim"
        place.mkdir(exist_ok=True)
        (place / "f").write_text("x")
        return place

    async def run(self, run_id: str) -> dict[str, Any]:
        """What `GET /v1/runs/{id}` says."""
        reply = await self.api.ask("GET", f"/v1/runs/{run_id}")
        assert reply.status == 200, reply
        found: dict[str, Any] = reply.json
        return found

    async def run_becomes(
        self, run_id: str, *statuses: str, patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """The run once it has one of these statuses."""
        run: dict[str, Any] = {}
        with trio.move_on_after(patience_s):
            while (run := await self.run(run_id))["status"] not in statuses:  # noqa: ASYNC110 - a process
                await trio.sleep(0.02)
        assert run["status"] in statuses, run
        return run

    async def make_session(self, session_id: str) -> None:
        """`POST /api/sessions`."""
        reply = await self.api.ask("POST", "/api/sessions", {"id": session_id})
        assert reply.status == 201, reply

    async def answer(self, prompt: dict[str, Any], choice: Any, **more: Any) -> Reply:
        """`POST /v1/runs/{id}/approval` with the ids of a prompt; what `more` names replaces or adds."""
        body = {
            "request_id": prompt["request_id"],
            "execution_generation": prompt["execution_generation"],
            "choice": choice,
        } | more
        return await self.api.ask("POST", f"/v1/runs/{prompt['run_id']}/approval", body)

    async def open_prompts(self, count: int = 1) -> list[dict[str, Any]]:
        """What the inbox shows once at least so many prompts are open there."""
        with trio.fail_after(PATIENCE_S):
            while len(rows := await self.inbox()) < count:
                pass
            return rows

    async def inbox(self) -> list[dict[str, Any]]:
        """The prompts that are open now."""
        reply = await self.api.ask("GET", "/v1/approvals?status=open")
        rows: list[dict[str, Any]] = reply.json["data"]
        return rows

    async def until_draining(self) -> None:
        """Wait until it says that it is about to stop."""
        with trio.fail_after(PATIENCE_S):
            while (await self.api.ask("GET", "/health")).json["status"] == "ok":
                pass

    def chat(self, script: str, headers: Headers = (), **more: Any) -> Any:
        """A streamed chat completion, as a context manager."""
        return self.api.open("POST", "/v1/chat/completions", chat_body(script, stream=True, **more), headers)

    async def say(self, script: str, headers: Headers = (), **more: Any) -> Reply:
        """A chat completion that is not streamed."""
        return await self.api.ask("POST", "/v1/chat/completions", chat_body(script, **more), headers)

    def talk(self, session_id: str, script: str, headers: Headers = (), **more: Any) -> Any:
        """A session stream, as a context manager."""
        path = f"/api/sessions/{session_id}/chat/stream"
        return self.api.open("POST", path, {"message": script, **more}, headers)

    async def check(self, pid: int) -> None:
        """What holds after every case: it answers, and it is the same process."""
        with trio.fail_after(2):
            reply = await self.api.ask("GET", "/health")
        assert (reply.status, reply.json["status"]) == (200, "ok")
        assert self.pid == pid


@dataclass
class CommandServer(Server):
    """The same, started as its operator starts it: a new interpreter that runs the command."""

    async def launch(self, log: int) -> trio.Process:
        """Make the process."""
        return await trio.lowlevel.open_process(
            self.command(), stdout=subprocess.PIPE, stderr=log, cwd=str(ROOT), env=self.environment()
        )

    def command(self) -> list[str]:
        """The program and what it is told."""
        return [sys.executable, "-m", "placet", *self.arguments()]


def script(*instructions: dict[str, Any] | str) -> str:
    """The text that makes the script agent do this."""
    return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in instructions)


def chat_body(text: str, **more: Any) -> dict[str, Any]:
    """A chat completion's body."""
    return {"model": "placet", "messages": [{"role": "user", "content": text}], **more}


def text_of(events: list[Event]) -> str:
    """The answer that a stream tells: its chunks' content, or its session events' deltas."""
    pieces: list[str] = []
    for event in events:
        if event.name == "assistant.delta":
            pieces.append(event.json["delta"])
        elif event.name == "message" and event.data != "[DONE]":
            choices = event.json.get("choices") or [{"delta": {}}]
            pieces.append(choices[0]["delta"].get("content") or "")
    return "".join(pieces)


def named(events: list[Event], name: str) -> list[Any]:
    """The data of every event of that name."""
    return [event.json for event in events if event.name == name]


async def prompt_of(call: Call) -> dict[str, Any]:
    """The next prompt that a stream shows."""
    found: dict[str, Any] = (await call.until("approval.request")).json
    return found


@asynccontextmanager
async def serving(
    folder: Path,
    agent: str = SCRIPT,
    *,
    key: str | None = KEY,
    env: dict[str, str] | None = None,
    config: str = "",
    tracebacks: bool = False,
    kind: type[Server] = Server,
    **settings: Any,
) -> AsyncIterator[Server]:
    """Serve while the block runs; then it must still answer, stop well, and have logged no traceback.

    Args:
        folder: of the test.
        agent: what runs turns.
        key: the API key, `None` for a server without keys.
        env: for the agent.
        config: a configuration file's text.
        tracebacks: whether the agent raises, which is logged.
        kind: how the server is started.
        settings: by name. The grace of a shutdown is short here, where nothing else is said.
    """
    server = kind(folder, agent, {"drain_grace_s": 0.2} | settings, env or {}, key, config)
    await server.start()
    try:
        yield server
        assert server.process is not None
        if server.process.returncode is None:
            await server.check(server.started[-1])
            await server.stop()
        assert tracebacks or not TRACEBACK.search(server.log)
    except BaseException as error:
        error.add_note(f"The server's log:\n{server.log}")
        raise
    finally:
        if server.process is not None and server.process.returncode is None:
            server.process.kill()
            with trio.move_on_after(5, shield=True):
                await server.process.wait()
