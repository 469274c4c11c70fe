"""Viewers of sessions in memory, on a clock that jumps: real peers, whose sockets are two channels that the test holds the other
ends of.
"""

from __future__ import annotations

import json
import math
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio

from placet.actors.runtime import LoopLagMonitor
from placet.http.app import create_app
from placet.http.auth import Keyring
from placet.http.config import Config, Role
from placet.http.desk import Desk
from placet.http.ws import Peer
from tests.http.routes.house import APPROVER_KEY, CLIENT_KEY, KEY, Client, principal
from tests.session.house import open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from placet.actors.protocol.limits import Limits
    from placet.actors.store import Store
    from placet.http.ws.peer import Goodbye


class Refused(Exception):
    """A method answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.code: int = error["code"]
        self.reason: str = error["data"]["reason"]
        self.data: dict[str, Any] = error["data"]


class Channels:
    """A socket, from the server's side."""

    def __init__(self, sent: trio.MemorySendChannel[str], received: trio.MemoryReceiveChannel[Any]) -> None:
        self._sent = sent
        self._received = received

    async def send(self, text: str) -> None:
        await self._sent.send(text)

    async def receive(self) -> str | bytes | None:
        return await self._received.receive()


@dataclass
class Remote:
    """The other end of the socket."""

    frames: trio.MemoryReceiveChannel[str]
    requests: trio.MemorySendChannel[Any]
    closed: trio.Event = field(default_factory=trio.Event)
    goodbye: Goodbye | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    _calls: int = 0

    async def frame(self) -> dict[str, Any]:
        """The next frame of any kind."""
        found: dict[str, Any] = json.loads(await self.frames.receive())
        assert found["jsonrpc"] == "2.0"
        return found

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method; events that come before its answer are kept."""
        self._calls += 1
        request = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params}
        await self.requests.send(json.dumps(request))
        return await self.answer(self._calls)

    async def answer(self, call_id: Any) -> dict[str, Any]:
        """The answer to a call."""
        while True:
            frame = await self.frame()
            if "method" in frame:
                self.events.append(frame["params"])
                continue
            assert frame["id"] == call_id, frame
            if "error" in frame:
                raise Refused(frame["error"])
            found: dict[str, Any] = frame["result"]
            return found

    async def refusal(self, method: str, **params: Any) -> str:
        """The reason with which a call is refused."""
        try:
            result = await self.call(method, **params)
        except Refused as refused:
            assert refused.code == 4001, refused
            return refused.reason
        raise AssertionError(result)

    async def event(self, *types: str) -> dict[str, Any]:
        """The next event of one of these types, past all others; of any type if none is named."""
        event = await self._next_event()
        while types and event["type"] not in types:
            event = await self._next_event()
        return event

    async def _next_event(self) -> dict[str, Any]:
        if self.events:
            return self.events.pop(0)
        frame = await self.frame()
        assert "method" in frame, frame
        found: dict[str, Any] = frame["params"]
        return found

    async def until(self, last: str) -> list[dict[str, Any]]:
        """All events up to and with the first of that type."""
        seen = [await self.event()]
        while seen[-1]["type"] != last:
            seen.append(await self.event())
        return seen

    async def prompt(self) -> dict[str, Any]:
        """The next prompt."""
        found: dict[str, Any] = (await self.event("approval.request"))["payload"]
        return found

    async def respond(self, prompt: dict[str, Any], choice: str, **more: Any) -> dict[str, Any]:
        """Decide a prompt."""
        return await self.call("approval.respond", **answering(prompt, choice, **more))


def answering(prompt: dict[str, Any], choice: str, **more: Any) -> dict[str, Any]:
    """The parameters of `approval.respond`."""
    return {
        "session_id": prompt["session_id"],
        "prompt_id": prompt["prompt_id"],
        "execution_generation": prompt["execution_generation"],
        "choice": choice,
    } | more


@dataclass
class Hall:
    """A running application, where viewers connect. `http` is the principal `api`."""

    http: Client
    desk: Desk
    nursery: trio.Nursery

    async def connect(self, key: str = KEY, *, reads: float = math.inf) -> Remote:
        """A viewer that has been greeted.

        Args:
            key: whose.
            reads: frames that the socket takes before anyone reads them.
        """
        sent, frames = trio.open_memory_channel[str](reads)
        requests, received = trio.open_memory_channel[Any](math.inf)
        remote = Remote(frames, requests)
        who = self.desk.keyring.authenticate(f"Bearer {key}".encode())
        peer = Peer(self.desk, who, "ws test", Channels(sent, received))

        async def serve() -> None:
            remote.goodbye = await peer.run()
            remote.closed.set()
            sent.close()

        self.nursery.start_soon(serve)
        ready = await remote.event("gateway.ready")
        assert ready["payload"]["principal"] == who.name
        return remote

    async def session(self, session_id: str = "s", key: str = KEY) -> str:
        """Make a session."""
        answer = await self.http.as_(key).post("/api/sessions", {"id": session_id})
        assert answer.status == 201, answer
        return session_id

    async def viewer(self, session_id: str = "s", key: str = KEY) -> Remote:
        """A viewer that has resumed a session."""
        remote = await self.connect(key)
        await remote.call("session.resume", session_id=session_id)
        return remote

    async def ask(self, text: str = "hi", session_id: str = "s", key: str = KEY) -> str:
        """Submit over HTTP; the run's id."""
        body = {"input": text, "session_id": session_id}
        return str((await self.http.as_(key).post("/v1/runs", body)).json["run_id"])


@asynccontextmanager
async def open_hall(
    agent: Callable[..., Any],
    *,
    store: Store | None = None,
    limits: Limits | None = None,
    replayable: bool = False,
    **settings: Any,
) -> AsyncIterator[Hall]:
    """The application over sessions in memory, until the end of the block."""
    people = (principal("carl", CLIENT_KEY, Role.CLIENT), principal("anna", APPROVER_KEY, Role.APPROVER))
    config = Config(api_key=KEY, principal=people, **settings)
    async with open_house(agent, store=store, limits=limits, replayable=replayable) as sessions:
        desk = Desk(sessions, config, Keyring(config, KEY))
        http = Client(create_app(desk, LoopLagMonitor()), sessions, KEY)
        async with trio.open_nursery() as nursery:
            yield Hall(http, desk, nursery)
            nursery.cancel_scope.cancel()
