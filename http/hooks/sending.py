"""One request to a receiver."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import httpx2
import trio

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

SEND_S: Final = 10.0
"""From the first byte to the head of the answer. A receiver takes a message and thinks about it later."""


class Answered(NamedTuple):
    """What came back.

    Attributes:
        status: of the answer; `None` if there was none.
        what: a word for a log, without anything that the receiver sent.
        retry_after: the header, if there was one.
    """

    status: int | None
    what: str
    retry_after: str | None = None


class Send(Protocol):
    """Makes requests. It never raises for what a receiver or the network does."""

    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """Make one. Always a checkpoint; cancelled, the receiver may have it or not."""
        ...


@asynccontextmanager
async def open_sender() -> AsyncGenerator[Send, None]:
    """One pool of connections, and one TLS context, for all webhooks of a process.

    The pool has no limit of its own, for a receiver that holds its connections must not take them from another; each webhook
    limits itself.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    async with httpx2.AsyncClient(timeout=SEND_S, limits=limits, follow_redirects=False) as http:
        yield partial(_send, http)


async def _send(http: httpx2.AsyncClient, url: str, headers: Mapping[str, str], body: bytes) -> Answered:
    try:
        with trio.fail_after(SEND_S):
            # The body of the answer is never read: it says nothing to us, and may have no end.
            async with http.stream("POST", url, headers=dict(headers), content=body) as response:
                retry_after = response.headers.get("retry-after")
                return Answered(response.status_code, f"status {response.status_code}", retry_after)
    except trio.TooSlowError:
        return Answered(None, "no answer in time")
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        return Answered(None, type(error).__name__)  # its words may hold the address, which may be secret
