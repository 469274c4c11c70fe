"""The actor runtime: actors in general, on trio. It knows nothing of sessions.

An actor is an object that handles one message at a time and keeps its state to itself. It is known by a key, exists when it is
spoken to, and rests when it is idle; so it is written as if it were always there, and stores what it must remember:

    import trio
    from placet.actors.runtime import ActorContext, Message, Reply, Request, open_registry

    STORED: dict[str, int] = {}  # stands for a database

    class Add(Request[int], frozen=True):
        amount: int

    class Counter:
        def __init__(self, context: ActorContext) -> None:
            self.key = context.key

        async def recover(self) -> None:
            self.total = STORED.get(self.key, 0)

        async def handle(self, message: Message, reply: Reply[object]) -> object:
            assert isinstance(message, Add)
            self.total = STORED[self.key] = self.total + message.amount
            return self.total

        def is_quiet(self) -> bool:
            return True

    async def main() -> None:
        async with open_registry(Counter) as counters:
            await counters.ask("apples", Add(3))
            print(await counters.ask("apples", Add(4)))  # 7: an int, as Add says

    trio.run(main)

What lives here, from the bottom: `Reply` (one answer), `Mailbox` (the bounded inbox), `Broadcast` (one log, many readers),
`Activation` (one life of an actor), `Supervisor` (crashes and quarantine), `Registry` (activation by key), `open_service` (what
outlives its users), and for whoever looks in from outside `snapshot`, `task_tree` and `LoopLagMonitor`.
"""

from __future__ import annotations

from placet.actors.protocol.messages import Message, Notice, Request
from placet.actors.runtime.activation import Activation
from placet.actors.runtime.actor import DEFERRED, Actor, ActorContext
from placet.actors.runtime.broadcast import Broadcast, BroadcastClosed, Subscription, SubscriptionCut
from placet.actors.runtime.counts import Counts
from placet.actors.runtime.envelope import trace_id
from placet.actors.runtime.inspect import ActorSnapshot, snapshot, task_tree
from placet.actors.runtime.lag import Lag, LoopLagMonitor
from placet.actors.runtime.limits import RegistryLimits
from placet.actors.runtime.mailbox import Mailbox
from placet.actors.runtime.registry import Registry, open_registry
from placet.actors.runtime.reply import Reply
from placet.actors.runtime.service import Service, open_service
from placet.actors.runtime.sockets import receive
from placet.actors.runtime.supervision import Supervisor

# The messages are protocol; they stand here too, because who writes an actor needs them next to it.
__all__ = [
    "DEFERRED",
    "Activation",
    "Actor",
    "ActorContext",
    "ActorSnapshot",
    "Broadcast",
    "BroadcastClosed",
    "Counts",
    "Lag",
    "LoopLagMonitor",
    "Mailbox",
    "Message",
    "Notice",
    "Registry",
    "RegistryLimits",
    "Reply",
    "Request",
    "Service",
    "Subscription",
    "SubscriptionCut",
    "Supervisor",
    "open_registry",
    "open_service",
    "receive",
    "snapshot",
    "task_tree",
    "trace_id",
]
