"""Clients that drop and resume at random, by `Last-Event-ID` and by `session.events.since`, while the server is killed and started
again: each sees every event once, in order.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import trio

from tests.helpers import GONE
from tests.http.ws.socket import Closed, connect, watching
from tests.system.server import REPLAYED, script, serving
from tests.system.waiting import LOOK_EVERY_S

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers import Event
    from tests.http.ws.socket import Viewer
    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]

LONG = bool(os.environ.get("PLACET_LONG"))
ROUNDS = 20 if LONG else 2
CLIENTS = 10 if LONG else 4
TURNS = 3
PATIENCE_S = 120.0
"""For all turns, over a restart, with every client coming and going: on a busy machine that is a while."""

TURN = script({"words": 40, "every_s": 0.01}, {"append": "count"}, {"words": 40, "every_s": 0.01}, "end")
"""Deltas, a step, deltas: some of it is journaled before the kill and some after."""


class Client(Protocol):
    """Somebody who comes and goes, and keeps what they saw."""

    @property
    def turns(self) -> int:
        """How many turns they saw end."""
        ...

    @property
    def seen(self) -> list[Any]:
        """What they saw, in the order in which it came."""
        ...

    async def come(self, count: int) -> None:
        """Resume where they were, read so many events, and drop."""
        ...


class ByLastEventId:
    """Reads the session's server-sent events.

    An event of the log may be shown as several frames, of which the last has its id. As the standard says, who drops resumes
    after the last id; so frames that came after it are not kept, and come again.
    """

    def __init__(self, server: Server) -> None:
        self.seen: list[tuple[str, str, str]] = []
        self._server = server
        self._last = ""

    @property
    def turns(self) -> int:
        return sum(name == "run.completed" for _, name, _ in self.seen)

    async def come(self, count: int) -> None:
        headers = {"Last-Event-ID": self._last} if self._last else {}
        frames: list[Event] = []
        async with self._server.api.open("GET", "/api/sessions/s/events", headers=headers) as stream:
            assert stream.status == 200
            while count and (event := await stream.event()) is not None:
                count -= 1
                frames.append(event)
                if event.id not in ("", self._last):
                    self._last = event.id
                    self.seen += [(frame.id, frame.name, frame.data) for frame in frames]
                    frames.clear()
                if self.turns == TURNS:
                    return


class ByEventsSince:
    """Reads the session's events from a WebSocket, and fetches what was missed."""

    def __init__(self, server: Server) -> None:
        self.seen: list[dict[str, Any]] = []
        self._server = server
        self._last = 0

    @property
    def turns(self) -> int:
        return sum(event["type"] == "message.complete" for event in self.seen)

    async def come(self, count: int) -> None:
        async with watching(self._server.api) as viewer:
            await self.catch_up(viewer)
            while count and self.turns < TURNS:
                count -= 1
                self._keep([await viewer.event()])

    async def catch_up(self, viewer: Viewer) -> None:
        """Fetch all that was missed."""
        answer: dict[str, Any] = {"has_more": True}
        while answer["has_more"]:
            answer = await viewer.call("session.events.since", session_id="s", last_sequence=self._last)
            assert not answer["snapshot_required"]
            self._keep(answer["events"])
            self._last = answer["last_sequence"]

    def _keep(self, events: list[dict[str, Any]]) -> None:
        """Keep what is new; several frames of one event have one number and arrive together."""
        before = self._last
        for event in events:
            if event.get("seq", 0) > before:
                del event["authority_epoch"]  # whose word it is, before or after the restart
                self.seen.append(event)
                self._last = event["seq"]


async def _come_and_go(client: Client, dice: random.Random) -> None:
    """Until they saw every turn end; while the server is down they knock."""
    while client.turns < TURNS:
        try:
            await client.come(dice.randrange(1, 40))
        except (*GONE, Closed):
            await trio.sleep(LOOK_EVERY_S)


async def _all_of_it(server: Server) -> tuple[list[Any], list[Any]]:
    """What somebody sees who comes when all is over and stays, either way."""
    events, calls = ByLastEventId(server), ByEventsSince(server)
    await events.come(-1)
    async with connect(server.api) as viewer:
        await viewer.event("gateway.ready")
        await calls.catch_up(viewer)
    return events.seen, calls.seen


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_each_sees_every_event_once_and_in_order_also_over_a_kill(tmp_path: Path, number: int) -> None:
    dice = random.Random(number)
    async with serving(tmp_path, REPLAYED) as server:
        await server.make_session("s")
        for _ in range(TURNS):
            await server.api.ask("POST", "/v1/runs", {"input": TURN, "session_id": "s"})
        clients = [ByLastEventId(server) if place % 2 else ByEventsSince(server) for place in range(CLIENTS)]
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                for place, client in enumerate(clients):
                    nursery.start_soon(_come_and_go, client, random.Random(number * CLIENTS + place))
                await trio.sleep(dice.uniform(0.1, 1.5))  # the kill comes at any moment
                await server.kill()
                await server.restart()
        events, calls = await _all_of_it(server)
        assert [int(id_) for id_, _, _ in events] == sorted(int(id_) for id_, _, _ in events)
        assert [event["seq"] for event in calls] == sorted(event["seq"] for event in calls)
        for client in clients:
            assert client.seen == (events if isinstance(client, ByLastEventId) else calls)
        assert server.lines("count") == ["x"] * TURNS
