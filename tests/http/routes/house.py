"""The real application over sessions in memory, on a clock that jumps; agents are written in the test.

Streams are read from the response's body itself: the framework's test client cannot read a stream that waits.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.protocol.limits import Limits
from placet.actors.runtime import LoopLagMonitor
from placet.http.app import create_app
from placet.http.auth import Keyring
from placet.http.config import Config, PrincipalConfig, Role
from placet.http.desk import Desk
from tests.helpers import Event, EventParser
from tests.session import house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from placet.actors.session import Sessions
    from placet.actors.store import Store
    from placet.http.sse import EventBody

KEY = "key-of-the-principal-api"
CLIENT_KEY = "key-of-carl-who-is-a-client"
APPROVER_KEY = "key-of-anna-who-approves"


PATIENCE_S = 20_000.0
"""On the jumping clock: more than any prompt of these tests waits, and no time at all for a test that fails."""


@dataclass
class Answer:
    """A whole response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    json: Any

    @property
    def verdict(self) -> tuple[int, str]:
        """Status and error code."""
        return self.status, self.json["error"]["code"]


class Stream:
    """A response that streams, read as a client would."""

    def __init__(self, status: int, headers: dict[str, str], body: EventBody[Any]) -> None:
        self.status = status
        self.headers = headers
        self.parser = EventParser()
        self._body = body
        self._events: list[Event] = []

    async def read(self) -> Event | None:
        """The next event; `None` at the end."""
        with trio.fail_after(PATIENCE_S):  # noqa: ASYNC912 - without events at hand it waits
            while not self._events:
                try:
                    self._events += self.parser.feed(await self._body.__anext__())
                except StopAsyncIteration:
                    return None
        return self._events.pop(0)

    async def until(self, name: str) -> list[Event]:
        """The events up to and with the first of that name."""
        seen: list[Event] = []
        while True:
            event = await self.read()
            assert event is not None, f"the stream ended before {name}: {[item.name for item in seen]}"
            seen.append(event)
            if event.name == name:
                return seen

    async def rest(self) -> list[Event]:
        """All events to the end."""
        seen: list[Event] = []
        while (event := await self.read()) is not None:
            seen.append(event)
        return seen

    async def listen(self, seconds: float) -> None:
        """Take all that the stream says by itself in so many seconds, also its comments."""

        async def take(data: bytes) -> None:
            self._events += self.parser.feed(data)

        with trio.move_on_after(seconds):
            await self._body.speak(take)

    def close(self) -> None:
        """The client leaves."""
        self._body.close()


class Client:
    """Somebody with a key."""

    def __init__(self, app: Any, sessions: Sessions, key: str) -> None:
        self.app = app
        self.sessions = sessions
        self.key = key

    def as_(self, key: str) -> Client:
        """Somebody else."""
        return Client(self.app, self.sessions, key)

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        response = await self._respond(method, path, body, headers)
        text = await response.get_data(as_text=True)
        return Answer(response.status_code, _lower(response), json.loads(text))

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.call("GET", path, **headers)

    async def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return await self.call("POST", path, {} if body is None else body, **headers)

    async def stream(self, method: str, path: str, body: Any = None, **headers: str) -> Stream:
        response = await self._respond(method, path, body, headers)
        assert response.status_code == 200, await response.get_data(as_text=True)
        return Stream(200, _lower(response), response.response)

    async def _respond(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        context = self.app.test_request_context(
            path,
            method=method,
            headers={"Authorization": f"Bearer {self.key}", **named},
            data=None if body is None else json.dumps(body),
        )
        return await self.app.handle_request(context.request)


def _lower(response: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def principal(name: str, key: str, role: Role) -> PrincipalConfig:
    return PrincipalConfig(name=name, key_sha256=hashlib.sha256(key.encode()).hexdigest(), role=role)


@asynccontextmanager
async def serving(
    agent: Callable[..., Any],
    *,
    store: Store | None = None,
    limits: Limits | None = None,
    replayable: bool = False,
    **settings: Any,
) -> AsyncIterator[Client]:
    """The application; the client is the principal `api`."""
    limits = limits or Limits()
    config = Config(
        **msgspec.structs.asdict(limits),
        api_key=KEY,
        principal=(
            principal("carl", CLIENT_KEY, Role.CLIENT),
            principal("anna", APPROVER_KEY, Role.APPROVER),
        ),
        **settings,
    )
    async with house.open_house(agent, store=store, limits=limits, replayable=replayable) as sessions:
        desk = Desk(sessions, config, Keyring(config, KEY))
        yield Client(create_app(desk, LoopLagMonitor()), sessions, KEY)
