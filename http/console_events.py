"""The console's one stream: the inbox, the log of the session that the page shows, and that lists have changed.

Browsers keep six connections to a host, so a page gets one stream with several lanes. Each lane is a reader that exists anyway;
here they are only waited for at once. A frame's id is the whole cursor, the inbox's place in the server's log and, after a dot,
the session's place in its own: `1204.88`. Whoever comes back with it goes on in each lane after what it has.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, TypeVar

import trio

from placet.actors.protocol.errors import PlacetError
from placet.http.errors import error_object
from placet.http.follow import Ended, Over
from placet.http.sse import OPEN, json_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.session import Bell
    from placet.http.sse import Renderer, Source

Item = TypeVar("Item")

LISTS_S: Final = 0.25
"""Between two words that lists have changed: a page reads them anew at each, and a busy server changes them all the time."""

_ID: Final = re.compile(rb"^id: ([0-9]+)$", re.MULTILINE)


class Cursor(NamedTuple):
    """Where a page is.

    Attributes:
        position: of the newest thing that it has of the inbox, in the server's log.
        seq: of the newest event that it has of the session, in the session's log; 0 if it has none.
    """

    position: int
    seq: int


def read_cursor(word: str) -> Cursor:
    """The cursor that a frame's id is: a number, or two with a dot between."""
    position, _, seq = word.partition(".")
    return Cursor(int(position), int(seq or 0))


class Lane(Protocol):
    """One of the things that a console stream carries."""

    async def receive(self) -> bytes:
        """The next frames; empty if what happened is not shown. Always a checkpoint; cancelled, nothing is lost.

        Raises:
            Ended: the server drains.
            PlacetError: the lane cannot go on.
        """
        ...

    def opening(self) -> bytes:
        """The first frames."""
        ...

    def close(self) -> None:
        """Leave. Idempotent and synchronous."""


class LogLane(Generic[Item]):
    """A lane of something that is read from a log: the inbox, or a session.

    Args:
        source: reads it.
        renderer: makes its frames.
        reached: the parts of the cursor, shared by all lanes of a stream.
        part: which of them is this lane's.
    """

    def __init__(self, source: Source[Item], renderer: Renderer[Item], reached: list[int], part: int) -> None:
        self._source = source
        self._renderer = renderer
        self._reached = reached
        self._part = part
        self._over = False

    def opening(self) -> bytes:
        """The renderer's, under cursors."""
        return self._under_cursors(self._renderer.opening())

    async def receive(self) -> bytes:
        """As `Lane` says. A session that was deleted says so once and is silent then: the other lanes go on."""
        if self._over:
            await trio.sleep_forever()
        try:
            items = await self._source.receive()
        except Over:
            self._over = True
            return json_frame({"event": "session.deleted"}, event="session.deleted")
        return self._under_cursors(b"".join(map(self._renderer.render, items)))

    def close(self) -> None:
        """Leave."""
        self._source.close()

    def _under_cursors(self, frames: bytes) -> bytes:
        return _ID.sub(self._cursor, frames)

    def _cursor(self, found: re.Match[bytes]) -> bytes:
        self._reached[self._part] = int(found[1])
        return b"id: %s" % ".".join(map(str, self._reached)).encode()


class ListsLane:
    """A lane that only says that lists have changed, not how: they are read from the store anyway.

    Args:
        bell: rung whenever they do.
    """

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._heard = bell.rung
        self._not_before = -math.inf

    def opening(self) -> bytes:
        """Nothing: who begins reads the lists."""
        return b""

    async def receive(self) -> bytes:
        """As `Lane` says; never sooner than `LISTS_S` after the last time."""
        await self._bell.wait_past(self._heard)
        await trio.sleep_until(self._not_before)
        self._heard, self._not_before = self._bell.rung, trio.current_time() + LISTS_S
        return json_frame({"event": "lists.changed"}, event="lists.changed")

    def close(self) -> None:
        """Nothing is held."""


class Lanes:
    """What all lanes bring, as it comes: a source for a stream's body.

    Args:
        lanes: in no particular order. They belong to this object.
    """

    is_behind = False

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = lanes
        self._brought: list[bytes] = []
        self._error: Ended | PlacetError | None = None

    async def receive(self) -> list[bytes]:
        """The frames of every lane that has some; they may be empty. Cancelled, nothing is lost: what was brought is kept.

        Raises:
            Ended: the server drains.
            PlacetError: a lane cannot go on.
        """
        if not self._brought and self._error is None:
            async with trio.open_nursery() as nursery:
                for lane in self._lanes:
                    nursery.start_soon(self._wait_for, lane, nursery.cancel_scope)
        brought, self._brought = self._brought, []
        if not brought and self._error is not None:
            raise self._error
        return brought

    async def _wait_for(self, lane: Lane, others: trio.CancelScope) -> None:
        try:
            self._brought.append(await lane.receive())
        except (Ended, PlacetError) as error:
            self._error = error
        others.cancel()

    async def past(self) -> list[bytes]:
        """Never asked for: the lanes read their own past."""
        return []

    def close(self) -> None:
        """Leave every lane."""
        for lane in self._lanes:
            lane.close()


class ConsoleRenderer:
    """Frames of a console stream, which its lanes have made already.

    Args:
        lanes: whose openings begin the stream.
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.done = False
        self._lanes = lanes

    def opening(self) -> bytes:
        """Those of the lanes."""
        return OPEN + b"".join(lane.opening() for lane in self._lanes)

    def catch_up(self, item: bytes) -> None:
        """Never called: the past is replayed."""

    def caught_up(self) -> bytes:
        """Never called."""
        return b""

    def render(self, item: bytes) -> bytes:
        """The frames as they are."""
        return item

    def failed(self, error: PlacetError) -> bytes:
        """Why the stream cannot go on."""
        self.done = True
        return json_frame({"event": "error", **error_object(error)}, event="error")
