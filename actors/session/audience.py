"""Those who watch one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placet.actors.runtime import Broadcast, Subscription

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from placet.actors.protocol.events import Recorded
    from placet.actors.session.services import Services


class Audience:
    """Tells what a session records to all who watch it.

    The broadcast for that is there while somebody watches. Most sessions are idle, and it would be a fifth of what one holds.

    Args:
        services: the bounds of a watcher, and the count of all.
    """

    __slots__ = ("_broadcast", "_end_reason", "_services")

    def __init__(self, services: Services) -> None:
        self._services = services
        self._broadcast: Broadcast[Recorded] | None = None
        self._end_reason: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nobody watches. Whoever was cut off for being slow does not, until it comes back."""
        return self._broadcast is None or not self._broadcast.subscriber_count

    def watch(self) -> Watcher:
        """Begin to watch, with what is recorded next; once the audience was let go, that is learned at once."""
        limits = self._services.limits
        if self._broadcast is None:
            self._broadcast = Broadcast(max_items=limits.subscriber_events, max_bytes=limits.subscriber_bytes)
            if self._end_reason is not None:
                self._broadcast.close(self._end_reason)
        self._services.streams += 1
        return Watcher(self, self._broadcast.subscribe())

    def tell(self, item: Recorded) -> None:
        """Tell all who watch. Synchronous; nobody is told once the audience was let go."""
        if self._broadcast is not None and self._end_reason is None:
            self._broadcast.publish(item, item.size_bytes)

    def let_go(self, reason: str) -> None:
        """Let all go who watch, and whoever comes later, with a reason. Idempotent: the first reason stays."""
        if self._end_reason is None:
            self._end_reason = reason
            if self._broadcast is not None:
                self._broadcast.close(reason)

    def left(self) -> None:
        """A watcher has left: the last one puts the light out."""
        self._services.streams -= 1
        if self.is_empty:
            self._broadcast = None


class Watcher:
    """One who watches: implements `placet.actors.protocol.answers.Tail`.

    Args:
        audience: which it belongs to.
        subscription: its place in the broadcast.
    """

    __slots__ = ("_audience", "_subscription")

    def __init__(self, audience: Audience, subscription: Subscription[Recorded]) -> None:
        self._audience: Audience | None = audience
        self._subscription = subscription

    def receive(self) -> Coroutine[Any, Any, list[Recorded]]:
        """All that is new, at least one event; waits for it. What it raises, and cancellation, are as in `Subscription.receive`."""
        return self._subscription.receive()

    def close(self) -> None:
        """Leave. Idempotent."""
        audience, self._audience = self._audience, None
        if audience is not None:
            self._subscription.close()
            audience.left()
