"""The service that tells the outside world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.protocol.errors import StoreUnavailable
from placet.http.hooks.compose import Composer
from placet.http.hooks.delivery import Delivery, Tally
from placet.http.hooks.follower import STORE_AGAIN_S, Follower
from placet.http.hooks.links import Links, principals
from placet.http.hooks.sending import open_sender

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from placet.actors.session import Services
    from placet.http.config import Config
    from placet.http.hooks.sending import Send


class Hooks:
    """All webhooks of a server. Each goes its own way: none waits for another, and no session waits for any.

    Args:
        services: what the sessions share.
        config: the settings.
        links: makes the answer links.
    """

    def __init__(self, services: Services, config: Config, links: Links) -> None:
        self._services = services
        self._composer = Composer(services.store, links)
        known = principals(config)
        self._followers = [
            (Follower(hook, known[hook.principal], services.store, services.lists), Tally())
            for hook in config.webhook
        ]

    async def run(self, sender: AbstractAsyncContextManager[Send] | None = None) -> None:
        """Tell every webhook what happens, from where it was when the server stopped, until cancelled; at once if there is none.

        Args:
            sender: makes the requests instead of the usual one.

        Cancelled, what is under way is told again at the next start, under the same id.
        """
        places = await self._places()
        if not self._followers:
            return
        async with sender or open_sender() as send, trio.open_nursery() as nursery:
            for follower, tally in self._followers:
                delivery = Delivery(follower.hook, self._composer, send, self._services.now, tally)
                nursery.start_soon(follower.run, places[follower.hook.name], delivery)

    async def health(self) -> list[dict[str, Any]]:
        """How it goes with each webhook. It names no address.

        Raises:
            StoreUnavailable: the disk refuses.
        """
        return [
            {
                "name": follower.hook.name,
                **msgspec.structs.asdict(tally),
                "waiting": follower.waiting,
                "behind": await follower.behind(),
            }
            for follower, tally in self._followers
        ]

    async def _places(self) -> dict[str, int]:
        names = tuple(follower.hook.name for follower, _ in self._followers)
        while True:
            try:
                return await self._services.store.take_watermarks(names)
            except StoreUnavailable:
                await trio.sleep(STORE_AGAIN_S)
