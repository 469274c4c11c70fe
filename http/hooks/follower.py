"""One webhook's way along the log: what it is to hear of is read, told, and left behind for good once all before it is settled."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.session import Bell
from placet.http.hooks.notices import notices_of

if TYPE_CHECKING:
    from placet.actors.store import Store
    from placet.http.auth import Principal
    from placet.http.hooks.delivery import Delivery
    from placet.http.hooks.notices import Notice
    from placet.http.hooks.settings import WebhookConfig

PENDING_MAX: Final = 128
"""What one webhook may have under way, each a task that mostly sleeps. The log keeps the rest until there is room."""

PAGE: Final = 64
"""Events read at once."""

GATHER_S: Final = 0.1
"""Rest after something new was heard of. A busy server has news hundreds of times a second; people read more slowly."""

STORE_AGAIN_S: Final = 5.0
"""Rest when the store refuses."""

logger: Final = logging.getLogger("placet.hooks")


class Follower:
    """Follows the log for one webhook.

    Args:
        hook: whom to tell.
        outlook: the principal whose view of the server it has.
        store: the log.
        bell: rung when there may be something new.
    """

    def __init__(self, hook: WebhookConfig, outlook: Principal, store: Store, bell: Bell) -> None:
        self.hook: Final = hook
        self._outlook = outlook
        self._store = store
        self._bell = bell
        self._pending: set[Notice] = set()
        self._moved = Bell()
        self._read = 0
        self._kept = 0

    @property
    def waiting(self) -> int:
        """What was read and is not settled."""
        return len(self._pending)

    async def behind(self) -> int:
        """What is not settled, and what may come to it of the log that is not read. Always a checkpoint.

        Raises:
            StoreUnavailable: the disk refuses.
        """
        return await self._store.count_news(after=self._read) + self.waiting

    async def run(self, after: int, delivery: Delivery) -> None:
        """Tell the webhook all that comes after a position, until cancelled. What was not settled by then is told again next time.

        Args:
            after: its watermark.
            delivery: tells it.
        """
        self._read = self._kept = after
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_watermark)
            while True:
                await self._until_room()
                heard = self._bell.rung
                if not await self._read_on(nursery, delivery):
                    await self._bell.wait_past(heard)
                    await trio.sleep(GATHER_S)

    async def _read_on(self, nursery: trio.Nursery, delivery: Delivery) -> bool:
        """Take the next page of the log; whether there may be more."""
        try:
            page = await self._store.news(after=self._read, limit=PAGE)
        except StoreUnavailable:
            await trio.sleep(STORE_AGAIN_S)
            return True
        for item in page:
            for notice in notices_of(item):
                if notice.kind in self.hook.events and self._outlook.may_see(notice.principal):
                    self._pending.add(notice)
                    nursery.start_soon(self._settle, notice, delivery)
            self._read = item.recorded.position
        self._moved.ring()
        return bool(page)

    async def _settle(self, notice: Notice, delivery: Delivery) -> None:
        try:
            await delivery.deliver(notice)
        except Exception:  # the supervisor: what cannot be told must end neither the house nor its next start
            logger.exception("webhook %s cannot be told of %s", self.hook.name, notice.identity)
        self._pending.discard(notice)
        self._moved.ring()

    async def _until_room(self) -> None:
        while True:
            heard = self._moved.rung
            if len(self._pending) < PENDING_MAX:
                return
            await self._moved.wait_past(heard)

    async def _keep_watermark(self) -> None:
        """Write down how far everything is settled, whenever that has changed."""
        while True:
            heard = self._moved.rung
            mark = min((notice.position - 1 for notice in self._pending), default=self._read)
            if mark > self._kept:
                try:
                    await self._store.keep_watermark(self.hook.name, mark)
                    self._kept = mark
                except StoreUnavailable:
                    await trio.sleep(STORE_AGAIN_S)
                    continue
            await self._moved.wait_past(heard)
