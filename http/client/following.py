"""Following a stream over every break of the connection, each event once and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import httpx2
import msgspec
import trio

from placet.http.client.errors import NotReached, Refused, refusal_of

if TYPE_CHECKING:
    from placet.http.client.client import Client, JsonObject

BACKOFF_FIRST_S: Final = 0.25
BACKOFF_MOST_S: Final = 5.0
"""Between two tries to connect again: a server that restarts is back within seconds, and a person waits for it."""

PATIENCE_S: Final = 600.0
"""Without one good connection, after which following ends: longer than a restart or a deployment takes."""


class Arrived(msgspec.Struct, frozen=True):
    """One event of a stream.

    Attributes:
        name: what its `event:` line says.
        data: its JSON object.
    """

    name: str
    data: dict[str, Any]


class Watcher(Protocol):
    """Who is told what a stream brings. Its methods do not wait and do not raise."""

    def arrived(self, event: Arrived) -> bool:
        """Take in an event; true if that is all that is wanted of the stream."""
        ...

    def lost(self, why: str) -> None:
        """The connection is gone, or could not be made; it is tried again."""
        ...

    def back(self) -> None:
        """There is a connection again."""
        ...


class Following:
    """One stream as it is followed.

    Args:
        client: of the server.
        path: of the stream.
        watcher: is told of it.
    """

    def __init__(self, client: Client, path: str, watcher: Watcher) -> None:
        self._client = client
        self._path = path
        self._watcher = watcher
        self._place = ""
        self._connected_at = 0.0
        self._failures = 0

    async def run(self) -> None:
        """Follow until the watcher has enough. Always a checkpoint; cancellation closes the connection.

        Raises:
            Refused: the server will not serve this stream.
            NotReached: it could not be reached for `PATIENCE_S`.
        """
        self._connected_at = trio.current_time()
        while True:
            try:
                if await self._read():
                    return
                lost = NotReached("The server ended the stream.")
            except NotReached as error:
                lost = error
            except Refused as refused:
                if not refused.may_heal:
                    raise
                lost = NotReached(refused.message)
            if trio.current_time() - self._connected_at > PATIENCE_S:
                raise lost
            self._watcher.lost(lost.message)
            await trio.sleep(backoff_s(self._failures))
            self._failures += 1

    async def _read(self) -> bool:
        """Read one connection to its end; whether the watcher has enough."""
        try:
            async with self._client.stream(self._path, self._place) as source:
                if source.response.status_code != 200:
                    await source.response.aread()
                    raise refusal_of(source.response)
                if self._failures:
                    self._watcher.back()
                self._connected_at = trio.current_time()
                return await self._events(source)
        except (
            httpx2.SSEError
        ) as error:  # no stream of events, or one that is too large: the same would come again
            raise Refused(200, str(error), code="no_placet_server", detail={}) from error
        except httpx2.RequestError as error:
            raise self._client.not_reached(error) from error

    async def _events(self, source: httpx2.EventSource) -> bool:
        """The library's generators are ended by a cancellation inside them; a `break` would leave them to the collector."""
        with trio.CancelScope() as reading:
            async for event in source:
                if not reading.cancel_called and self._take(event):
                    reading.cancel()
        return reading.cancel_called

    def _take(self, event: httpx2.ServerSentEvent) -> bool:
        """Pass an event on. Its id counts once it was taken: what is lost before that comes again."""
        data = _object(event.data)
        if (
            data is None or event.event == "error"
        ):  # why the server cannot go on now; the stream ends after it
            return False
        self._failures = 0
        enough = self._watcher.arrived(Arrived(event.event, data))
        self._place = event.id or self._place
        return enough


def backoff_s(failures: int) -> float:
    """The pause after so many failures in a row."""
    return min(BACKOFF_MOST_S, BACKOFF_FIRST_S * 2.0 ** min(failures, 10))


def _object(data: str) -> JsonObject | None:
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.MsgspecError:
        return None
