"""One life of an actor: its inbox, its loop, its children, and the replies it owes.

Every ask has exactly one owner at any time: the inbox that holds it, then the `OpenReplies` from the moment the loop takes it
until it is answered. `end` fails both, so no asker waits on a dead actor.
"""

from __future__ import annotations

import enum
import logging
import math
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

import trio

from placet.actors.protocol.errors import ActorStopped, AskTimedOut, PlacetError
from placet.actors.runtime.actor import DEFERRED
from placet.actors.runtime.envelope import Envelope, trace_id
from placet.actors.runtime.mailbox import Mailbox
from placet.actors.runtime.reply import OpenReplies, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.protocol.messages import Notice, Request
    from placet.actors.runtime.actor import Actor, ActorContext
    from placet.actors.runtime.counts import Counts

R = TypeVar("R")
PosArgs = TypeVarTuple("PosArgs")

logger: Final = logging.getLogger("placet.runtime")


class Phase(enum.Enum):
    """Where an activation is in its life. It goes forward only, and may skip."""

    RECOVERING = "recovering"
    SERVING = "serving"
    ENDING = "ending"  # handles no further message; the one in hand may still be running


class Activation:
    """An actor from its start to its end. It is the `ActorContext` that the factory is given.

    Args:
        key: the actor's key.
        factory: makes the actor. Called in the actor's own task, so that its error is the actor's crash.
        mailbox_size: messages that the inbox holds.
        counts: where the registry counts.

    Attributes:
        phase: where it is in its life.
        in_hand: the message that the handler has, if any.
        started_at: trio's time of the start.
        last_active_at: trio's time of the last message taken, or of the start.
    """

    __slots__ = (
        "_actor",
        "_counts",
        "_factory",
        "_inbox",
        "_key",
        "_nursery",
        "_on_end",
        "_replies",
        "in_hand",
        "last_active_at",
        "phase",
        "started_at",
    )

    def __init__(
        self, key: str, factory: Callable[[ActorContext], Actor], *, mailbox_size: int, counts: Counts
    ) -> None:
        self._key = key
        self._factory = factory
        self._counts = counts
        self._inbox: Mailbox[Envelope] = Mailbox(mailbox_size)
        self._replies = OpenReplies(counts)
        self._actor: Actor | None = None
        self._nursery: trio.Nursery | None = None
        self._on_end: Callable[[], object] | None = None
        self.phase = Phase.RECOVERING
        self.in_hand: Request[Any] | Notice | None = None
        self.started_at = self.last_active_at = trio.current_time()

    # What others see of it

    @property
    def key(self) -> str:
        """The actor's key."""
        return self._key

    @property
    def task_name(self) -> str:
        """What the task tree calls it."""
        return f"actor {self._key}"

    @property
    def inbox_depth(self) -> int:
        """Messages that wait in the inbox."""
        return len(self._inbox)

    @property
    def open_replies(self) -> int:
        """Asks that a handler has taken and nobody has answered."""
        return len(self._replies)

    @property
    def child_count(self) -> int:
        """Child tasks that run."""
        return len(self._nursery.child_tasks) if self._nursery else 0

    @property
    def is_parked(self) -> bool:
        """Whether the loop sleeps: no message is in hand, on its way, or in the inbox."""
        return self._inbox.is_parked

    def may_rest(self) -> bool:
        """Whether ending it now would be noticed by nobody. An error in `is_quiet` crashes the actor."""
        if not self.is_parked or self.open_replies or self.child_count or self._actor is None:
            return False
        try:
            return self._actor.is_quiet()
        except Exception as error:  # the supervisor: one faulty actor must not end the sweep
            self.start_soon(_raise, error, name=f"is_quiet of {self._key}")
            return False

    # What the actor and its children call (the `ActorContext`)

    def start_soon(
        self,
        fn: Callable[[*PosArgs], Awaitable[object]],
        *args: *PosArgs,
        name: str | None = None,
    ) -> None:
        """Start a child task, as `ActorContext.start_soon` says."""
        if self._nursery is None:
            raise RuntimeError("this actor is not running")
        self._nursery.start_soon(fn, *args, name=name)

    async def ask(self, request: Request[R], *, timeout_s: float | None = None) -> R:
        """Ask from a child task, as `ActorContext.ask` says."""
        self._refuse_own_handler()
        limit_s = math.inf if timeout_s is None else timeout_s
        with trio.move_on_after(limit_s):
            reply: Reply[R] = Reply()
            await self._inbox.put(Envelope.of_request(request, reply))
            return await reply.wait()
        raise timed_out(limit_s)

    async def tell(self, notice: Notice) -> None:
        """Tell, waiting for room, as `ActorContext.tell` says."""
        self._refuse_own_handler()
        await self._inbox.put(Envelope.of_notice(notice))

    def post_nowait(self, notice: Notice) -> None:
        """Tell, room or not, as `ActorContext.post_nowait` says."""
        if not self._inbox.post(Envelope.of_notice(notice)):
            self._counts.dead_letters += 1

    def on_end(self, fn: Callable[[], object]) -> None:
        """Be called at the end, as `ActorContext.on_end` says."""
        self._on_end = fn

    # What the registry calls

    async def ask_nowait(self, request: Request[R]) -> R:
        """Ask from outside: without room this raises at once. Waits for the answer as long as the caller's scope lasts.

        Raises:
            MailboxFull: the inbox is full.
            ActorStopped: the actor ended first.
            PlacetError: whatever the handler answered with.
            RuntimeError: called from the actor's own handler.
        """
        self._refuse_own_handler()
        reply: Reply[R] = Reply()
        self._inbox.offer(Envelope.of_request(request, reply))
        return await reply.wait()

    async def run(self) -> None:
        """Live: recover, then handle message after message until `stop` or an error. Runs in a task of its own.

        Raises:
            BaseExceptionGroup: the errors of the actor and its children, perhaps together with a cancellation.
        """
        if self.phase is Phase.ENDING:
            return
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            self._actor = actor = self._factory(self)
            await actor.recover()
            if self.phase is Phase.RECOVERING:
                self.phase = Phase.SERVING
            while self.phase is Phase.SERVING:
                envelope = await self._inbox.get()
                await self._take(actor, envelope)
                del envelope  # the last message may be large, and the next one hours away
            nursery.cancel_scope.cancel()  # children end with their actor

    def stop(self) -> None:
        """Ask it to end: at once if its loop is parked, else after the message in hand."""
        was_parked = self.is_parked
        self.phase = Phase.ENDING
        if was_parked:
            self.cancel()

    def cancel(self) -> None:
        """End it now, whatever it is doing."""
        self.phase = Phase.ENDING
        if self._nursery is not None:
            self._nursery.cancel_scope.cancel()

    def end(self) -> None:
        """Seal the inbox and answer everybody who waits. Idempotent, and synchronous so that no cancellation can halve it."""
        self.phase = Phase.ENDING
        for envelope in self._inbox.seal():
            if envelope.is_notice:
                self._counts.dead_letters += 1
            else:
                envelope.reply.fail(_stopped())
        self._replies.fail_all(_stopped)
        self._call_on_end()
        self._actor = self._nursery = self._on_end = None  # they refer back to this object

    def _call_on_end(self) -> None:
        if self._on_end is not None:
            try:
                self._on_end()
            except (
                Exception
            ):  # the supervisor: it runs as the actor is buried, where an error would end all others
                logger.exception("actor %s could not clean up", self._key)

    async def _take(self, actor: Actor, envelope: Envelope) -> None:
        self.last_active_at = now = trio.current_time()
        if envelope.has_expired(now):
            self._counts.skipped += 1
            # Read only by an asker whose deadline was moved after it had asked: it still waits, and must not hang.
            envelope.reply.fail(AskTimedOut("the deadline had passed before it was begun"))
        else:
            await self._handle(actor, envelope)

    async def _handle(self, actor: Actor, envelope: Envelope) -> None:
        if not envelope.is_notice:
            self._replies.keep(envelope.reply)
        self.in_hand = envelope.message
        trace_id.set(envelope.trace)
        try:
            answer = await actor.handle(envelope.message, envelope.reply)
        except PlacetError as error:
            if envelope.is_notice:
                logger.warning("actor %s refused %s: %s", self._key, type(envelope.message).__name__, error)
            envelope.reply.fail(error)
        else:
            if answer is not DEFERRED:
                envelope.reply.send(answer)
        self.in_hand = None

    def _refuse_own_handler(self) -> None:
        if self._nursery is not None and self._nursery.parent_task is trio.lowlevel.current_task():
            raise RuntimeError("an actor must not wait for its own inbox: only its loop could empty it")


def timed_out(limit_s: float) -> AskTimedOut:
    """The error for an asker who has waited `limit_s` seconds."""
    return AskTimedOut(
        f"no answer within {limit_s:g} s; what was not begun by then is not done", retry_after_s=1.0
    )


def _stopped() -> ActorStopped:
    return ActorStopped(
        "the actor ended before it answered; what it had stored stays stored", retry_after_s=1.0
    )


async def _raise(error: Exception) -> None:
    await trio.lowlevel.checkpoint()
    raise error
