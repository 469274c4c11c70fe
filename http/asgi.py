"""The application for a hypercorn that somebody else starts: `hypercorn -k trio placet.http.asgi:app`.

Settings come from the environment, and from the file that `PLACET_CONFIG` names. Importing this hardens hypercorn. One worker only:
a second one is refused by the data directory's lock.
"""

from __future__ import annotations

import logging
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.protocol.errors import PlacetError, StartRefused
from placet.http.config import Config, load_config
from placet.http.house import House, open_house
from placet.http.logs import set_up_logs
from placet.http.server import install, wait_until_stopping

if TYPE_CHECKING:
    from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

__all__ = ["app"]

logger: Final = logging.getLogger("placet")


class Application:
    """An ASGI application that opens its house in the lifespan and serves requests in it.

    Its own lifespan, because the framework's is too short: when that ends, sessions could no longer write how their turns ended.
    """

    def __init__(self) -> None:
        self._house: House | None = None

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Serve one ASGI scope."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._house is None:
            raise PlacetError("This application needs a server that supports the lifespan protocol.")
        else:
            await self._house.app(scope, receive, send)

    async def _live(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        await receive()  # lifespan.startup
        async with AsyncExitStack() as stack:
            try:
                self._house = await stack.enter_async_context(open_house(_config()))
            except StartRefused as refused:
                await send({"type": "lifespan.startup.failed", "message": str(refused)})
                return
            except Exception:  # the edge: hypercorn would otherwise go on and serve nothing
                logger.exception("the house could not be opened")
                await send({"type": "lifespan.startup.failed", "message": "see the log"})
                return
            await send({"type": "lifespan.startup.complete"})
            await wait_until_stopping()
            # Hypercorn counts its own grace from now on; the turns' grace is what is left of it for them: nothing.
            hurry = trio.Event()
            hurry.set()
            await self._house.sessions.drain(hurry)
            await receive()  # lifespan.shutdown
        await send({"type": "lifespan.shutdown.complete"})


def _config() -> Config:
    file = os.environ.get("PLACET_CONFIG")
    return load_config({}, os.environ, Path(file) if file else None)


set_up_logs()
install()
app: Final = Application()
