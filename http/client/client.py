"""Asking a server: one request, one answer; lists over all their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote

import httpx2
import trio

from placet import __version__
from placet.http.client.errors import NotReached, Refused, refusal_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from placet.http.client.target import Target

JsonObject: TypeAlias = dict[str, Any]

CONNECT_S: Final = 10.0
ANSWER_S: Final = 45.0
"""For one answer: what the server itself allows a session to take (30 s), and some."""

SILENCE_S: Final = 35.0
"""Of a stream. The server shows a sign of life every 10 s; three that do not come mean that the connection is dead."""

EVENT_BYTES: Final = 4 * 1024 * 1024
"""One event of a stream: far above what the server records as one (256 KiB), escaped for JSON."""

PAGE: Final = 200
"""Items in a page of a list: the most that the server gives."""

RETRIES_S: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Pauses between the tries of a request that may be made again."""


class Client:
    """A server's client. `async with` closes its connections.

    Args:
        target: the server and the key.
        transport: what carries the requests, instead of the network.
    """

    def __init__(self, target: Target, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self.target = target
        headers = {"User-Agent": f"placet/{__version__}"}
        if target.key is not None:
            headers["Authorization"] = f"Bearer {target.key}"
        self._http = httpx2.AsyncClient(
            base_url=target.url,
            headers=headers,
            timeout=httpx2.Timeout(ANSWER_S, connect=CONNECT_S),
            transport=transport,
            trust_env=not target.is_local,  # a proxy cannot reach this machine's own loopback
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
            await self._http.aclose()

    async def ask(
        self,
        method: str,
        path: str,
        body: JsonObject | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """The JSON object that a request is answered with. Always a checkpoint; cancelled, it is not known what the server did.

        Args:
            method: of the request.
            path: with its query.
            body: sent as JSON, if there is one.
            headers: beside the usual ones.

        Raises:
            Refused: the server answered with an error.
            NotReached: no answer came.
        """
        try:
            response = await self._http.request(method, path, json=body, headers=headers)
        except httpx2.RequestError as error:
            raise self.not_reached(error) from error
        if response.status_code >= 400:
            raise refusal_of(response)
        try:
            found: JsonObject = response.json()
        except ValueError:
            raise refusal_of(response) from None
        return found

    async def submit(self, path: str, body: JsonObject, key: str) -> JsonObject:
        """Submit work exactly once, over losses of the connection and pauses of the server.

        Args:
            path: where to.
            body: the work.
            key: the `Idempotency-Key`, under which every try is the same work.

        Raises:
            Refused: the server does not take it.
            NotReached: nobody is there at the first try, or the last had no answer either. Then the work may have been taken:
                the same key finds it.
        """
        sent = False
        for pause_s in (*RETRIES_S, None):
            try:
                return await self.ask("POST", path, body, headers={"Idempotency-Key": key})
            except NotReached as lost:
                sent = sent or lost.may_have_arrived
                if pause_s is None or not sent:
                    raise
            except Refused as refused:
                if pause_s is None or not refused.may_heal:
                    raise
            await trio.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    async def listing(self, path: str, *, most: int, id_field: str, **params: str | None) -> JsonObject:
        """A list over as many pages as it takes, as one list object.

        Args:
            path: of the list.
            most: items; 0 takes all.
            id_field: what of an item names it, for the next page.
            params: of the query; those that are `None` are left out.

        Raises:
            Refused: as for `ask`, as is `NotReached`.
        """
        query: dict[str, str] = {name: value for name, value in params.items() if value is not None}
        data: list[JsonObject] = []
        while True:
            query["limit"] = str(min(PAGE, most - len(data)) if most else PAGE)
            page = await self.ask("GET", f"{path}?{httpx2.QueryParams(query)}")
            data += page["data"]
            if not page["has_more"] or (most and len(data) >= most):
                return {**page, "data": data}
            query["after"] = data[-1][id_field]

    def stream(self, path: str, after: str) -> AbstractAsyncContextManager[httpx2.EventSource]:
        """A stream of events, entered to connect. Entering raises httpx2's errors.

        Args:
            path: of the stream.
            after: the id of the newest event that is here already; empty for a new stream.
        """
        return self._http.sse(
            path,
            headers={"Last-Event-ID": after} if after else None,
            timeout=httpx2.Timeout(SILENCE_S, connect=CONNECT_S),
            max_event_size=EVENT_BYTES,
        )

    def not_reached(self, error: httpx2.RequestError) -> NotReached:
        """An error of the connection in words."""
        why = (
            "it is silent"
            if isinstance(error, httpx2.TimeoutException)
            else str(error) or "the connection broke"
        )
        arrived = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        return NotReached(f"No answer from {self.target.url}: {why}.", may_have_arrived=arrived)


def path_word(word: str) -> str:
    """An id as one segment of a path, whatever was typed."""
    return quote(word, safe="")
