"""What the tests of webhooks have in common: settings, receivers, and a signature checked without our own code."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import h11
import trio

from placet.http.config import Config
from placet.http.hooks.hooks import Hooks
from placet.http.hooks.links import Links
from placet.http.hooks.sending import Answered
from placet.http.hooks.settings import WebhookConfig
from tests.helpers import PATIENCE_S, next_event
from tests.session.house import open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from placet.actors.session import Sessions
    from placet.actors.store import Store

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(1, 33))).decode()
ELSEWHERE = "http://receiver.example/in"


def hook(name: str = "ops", **more: Any) -> WebhookConfig:
    """A webhook with its secret read."""
    return WebhookConfig(**{"name": name, "url": ELSEWHERE, "secret": (SECRET,)} | more)


@dataclass(frozen=True)
class Got:
    """A request that a receiver got; header names are in lower case."""

    url: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return str(self.json["type"])

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self.json["data"]
        return found


def is_signed(got: Got, secret: str = SECRET) -> bool:
    """Whether one of the signatures is right, by the words of the specification."""
    content = b".".join(
        (got.headers["webhook-id"].encode(), got.headers["webhook-timestamp"].encode(), got.body)
    )
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return right in got.headers["webhook-signature"].split(" ")


@dataclass
class Outside:
    """All receivers at once, without a network, on a clock that jumps.

    Attributes:
        answer: says what a request is answered, a status or a whole answer; it may wait.
        got: every request, in order.
        at_once: how many are being answered now.
        most: how many were at the most.
    """

    answer: Callable[[Got], Any] = lambda _: 200
    got: list[Got] = field(default_factory=list)
    at_once: int = 0
    most: int = 0

    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Answered:
        got = Got(url, {name.lower(): value for name, value in headers.items()}, body, trio.current_time())
        self.got.append(got)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await trio.lowlevel.checkpoint()
            answer = self.answer(got)
            answer = await answer if hasattr(answer, "__await__") else answer
            return answer if isinstance(answer, Answered) else Answered(answer, f"status {answer}")
        finally:
            self.at_once -= 1

    @property
    def types(self) -> list[str]:
        return [got.type for got in self.got]

    async def until(self, count: int) -> list[Got]:
        """The requests, once there were so many."""
        with trio.fail_after(200_000):
            while len(self.got) < count:  # noqa: ASYNC110 - the clock jumps
                await trio.sleep(0.5)
        return self.got

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Outside]:
        """As the usual sender is opened."""
        yield self


@asynccontextmanager
async def told(
    agent: Callable[..., Any],
    outside: Outside,
    *hooks: WebhookConfig,
    store: Store | None = None,
    **more: Any,
) -> AsyncIterator[tuple[Sessions, Hooks]]:
    """Sessions in memory whose news go outside; at the end of the block this stops as at a shutdown."""
    config = Config(webhook=hooks, **more)
    replayable = agent.__name__.startswith("replayed")
    async with (
        open_house(agent, store=store, replayable=replayable) as sessions,
        trio.open_nursery() as nursery,
    ):
        services = sessions.services
        service = Hooks(services, config, Links(services.store.digest_key, config, services.now))
        await sessions.recover()
        nursery.start_soon(service.run, outside.open())
        await trio.testing.wait_all_tasks_blocked()
        yield sessions, service
        nursery.cancel_scope.cancel()


class Receiver:
    """A receiver on a real socket.

    Attributes:
        statuses: what the next requests are answered; after them 200. `None` never answers.
        got: every request, in order.
    """

    def __init__(self, *statuses: int | None) -> None:
        self.statuses = list(statuses)
        self.got: list[Got] = []
        self.url = ""
        self._moved = trio.Event()

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        task_status.started()
        await trio.serve_listeners(self._receive, listeners)

    async def _receive(self, stream: trio.SocketStream) -> None:
        http = h11.Connection(h11.SERVER)
        async with stream:
            try:
                request = await next_event(stream, http)
                body = b""
                while isinstance(data := await next_event(stream, http), h11.Data):
                    body += data.data
            except (h11.RemoteProtocolError, trio.BrokenResourceError):
                return
            headers = {name.decode().lower(): value.decode() for name, value in request.headers}
            self.got.append(Got(request.target.decode(), headers, body, trio.current_time()))
            moved, self._moved = self._moved, trio.Event()
            moved.set()
            status = self.statuses.pop(0) if self.statuses else 200
            if status is None:
                await trio.sleep_forever()
            answer = h11.Response(status_code=status, headers=[("Content-Length", "0")], reason=b"")
            await stream.send_all((http.send(answer) or b"") + (http.send(h11.EndOfMessage()) or b""))

    async def until(self, wanted: Callable[[Got], bool], count: int = 1) -> list[Got]:
        """The requests that are wanted, once there are so many."""
        with trio.fail_after(PATIENCE_S):
            while len(found := [got for got in self.got if wanted(got)]) < count:
                await self._moved.wait()
        return found


@asynccontextmanager
async def receiving(*statuses: int | None) -> AsyncIterator[Receiver]:
    """A receiver that listens while the block runs."""
    receiver = Receiver(*statuses)
    async with trio.open_nursery() as nursery:
        await nursery.start(receiver.serve)
        yield receiver
        nursery.cancel_scope.cancel()
