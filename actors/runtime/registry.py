"""Actors by key: they exist when they are spoken to, and rest when nobody does.

Theory of operation
===================

The registry is a dictionary from key to activation, a nursery in which the activations run, and a sweep. An actor here is
virtual: `ask(key, request)` works whether its actor runs or not. What an actor must remember it has stored; everything else may
be lost at any time.

States of a key, and what moves it:

    absent --message--> recovering --> serving --quiet and idle--> absent
                             |            |
                             +---error----+--> absent; the third error within a minute: quarantined --time--> absent

Rules:

 1. Looking a key up and inserting its activation is one synchronous step. With an `await` in between, two callers would
    each start one, and a session would exist twice.
 2. An activation is started by `start_soon` in the context captured at boot. With `nursery.start` it would sit in the
    caller's cancel scope until it had started, and one disconnecting client would kill it for all who wait. With the
    caller's context it would carry that request's variables for the rest of its life. Messages wait in the inbox while
    the actor recovers.
 3. An ask belongs to exactly one owner: the inbox, then the activation's open replies. However an activation ends - rest,
    crash, close, cancellation - `_bury` fails what it owned. Nobody waits on a dead actor.
 4. An actor is put to rest only while its loop is parked, its inbox empty, no reply open, no child running, and
    `is_quiet()` agrees. Then none of its code runs on the way out, so its key may be activated again at once. Asking "is it
    idle?" while a handler awaits the store would find a quiet state with a command half done.
 5. A crashed activation stays in the table until its children have ended; messages that come meanwhile fail with it. So
    the code of two activations of one key never overlaps.
 6. A handler's `PlacetError` is an answer. Any other error is a crash, and is logged here and nowhere else. A crash that
    coincides with a cancellation is split from it: the one is ours, the other goes on.
 7. `close` refuses new work first, then lets each actor finish the message in hand, then cancels. It does not wait for
    anybody to become idle.

What may be awaited where: a handler awaits the store, and never its own actor. A child of an actor awaits its actor. `ask`
and `tell` await nothing before the message is in the inbox, except a `tell` for room.

Rejected: restarting a crashed actor by itself (nobody may need it, and its cause is likely still there). A timer for each
actor instead of the sweep (a cancel scope for each message). Eviction at the moment when `max_active` is crossed (a scan of
ten thousand actors in the path of a request, perhaps for nothing; the bound is about memory, and half a minute late is soon
enough).
"""

from __future__ import annotations

import contextvars
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from placet.actors.protocol.errors import ActorStopped, Draining
from placet.actors.runtime.activation import Activation, timed_out
from placet.actors.runtime.counts import Counts
from placet.actors.runtime.limits import RegistryLimits
from placet.actors.runtime.supervision import Supervisor

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from placet.actors.protocol.messages import Notice, Request
    from placet.actors.runtime.actor import Actor, ActorContext

R = TypeVar("R")

logger: Final = logging.getLogger("placet.runtime")

# Actors that the sweep looks at between two checkpoints. Putting that many to rest stalls the loop for about a millisecond.
SWEEP_BATCH: Final = 20


class Registry:
    """All actors of one kind. Made by `open_registry`.

    Attributes:
        counts: totals since it was opened.
    """

    def __init__(
        self, factory: Callable[[ActorContext], Actor], limits: RegistryLimits, nursery: trio.Nursery
    ) -> None:
        self.counts = Counts()
        self._factory = factory
        self._limits = limits
        self._nursery = nursery
        self._clean_context = contextvars.copy_context()
        self._supervisor = Supervisor(limits)
        self._active: dict[str, Activation] = {}
        self._is_closing = False
        self._all_gone = trio.Event()

    async def ask(self, key: str, request: Request[R], *, timeout_s: float | None = None) -> R:
        """Ask the actor `key`, activating it if need be. Always a checkpoint, except when it refuses.

        Args:
            key: which actor.
            request: names the type of its answer.
            timeout_s: seconds to wait; `RegistryLimits.ask_timeout_s` if not given, `math.inf` for no limit but the caller's.

        Returns:
            What the handler answered.

        Raises:
            AskTimedOut: no answer in time. If the handler had not begun, it never will.
            MailboxFull: the actor's inbox is full.
            ActorStopped: the actor ended before it answered, or is in quarantine (see `retry_after_s`).
            Draining: the registry is closing.
            PlacetError: whatever the handler answered with.
            RuntimeError: an actor asked itself.

        Cancelled, the request is skipped if it was not begun; if it was, it is finished and its answer dropped.
        """
        limit_s = self._limits.ask_timeout_s if timeout_s is None else timeout_s
        with trio.move_on_after(limit_s):
            return await self._activation(key).ask_nowait(request)
        raise timed_out(limit_s)

    async def tell(self, key: str, notice: Notice) -> None:
        """Tell the actor `key`, activating it if need be, and waiting for room. A checkpoint only if it waits.

        Raises:
            ActorStopped: the actor ended while this waited for room, or is in quarantine.
            Draining: the registry is closing.
            RuntimeError: an actor told itself.

        Cancelled, nothing was told. That a notice was told does not say that it will be handled.
        """
        await self._activation(key).tell(notice)

    def active_keys(self) -> list[str]:
        """The keys of all actors that run, in no order."""
        return list(self._active)

    def activations(self) -> list[Activation]:
        """All actors that run, for inspection."""
        return list(self._active.values())

    async def close(self) -> None:
        """End all actors. Idempotent. Always a checkpoint.

        New messages are refused with `Draining` from the moment of the call. Each actor finishes the message in hand, within
        `RegistryLimits.close_grace_s` seconds; then what is left is cancelled. Every open reply fails with `ActorStopped`.

        Cancelled, the registry keeps refusing, and the actors that have not ended yet end with `open_registry`.
        """
        self.refuse_new_work()
        for activation in self.activations():
            activation.stop()
        with trio.move_on_after(self._limits.close_grace_s):
            await self._all_gone.wait()
        for activation in self.activations():
            activation.cancel()
        await self._all_gone.wait()

    def refuse_new_work(self) -> None:
        """From now on fail every message from outside with `Draining`. Actors and their children go on."""
        self._is_closing = True
        if not self._active:
            self._all_gone.set()

    async def sweep_for_ever(self) -> None:
        """Put idle actors to rest, every `sweep_every_s` seconds; `open_registry` runs it."""
        while True:
            await trio.sleep(self._limits.sweep_every_s)
            self._supervisor.forget_recovered()
            await self._sweep()

    async def _sweep(self) -> None:
        """Rest whoever is idle too long; above `max_active`, the longest idle as well."""
        idle_since = trio.current_time() - self._limits.idle_after_s
        longest_idle_first = sorted(self.activations(), key=lambda activation: activation.last_active_at)
        for seen, activation in enumerate(longest_idle_first, start=1):
            is_crowded = len(self._active) > self._limits.max_active
            if activation.last_active_at > idle_since and not is_crowded:
                return
            if activation.may_rest():
                activation.cancel()
                self._bury(activation)
                self.counts.passivations += 1
            if seen % SWEEP_BATCH == 0:
                await trio.lowlevel.checkpoint()

    def _activation(self, key: str) -> Activation:
        """Find the activation of `key` or make one: synchronous, by rule 1."""
        if self._is_closing:
            raise Draining("the server is shutting down", retry_after_s=5.0)
        activation = self._active.get(key)
        if activation is None:
            try:
                self._supervisor.admit(key)
            except ActorStopped:
                self.counts.refusals += 1
                raise
            activation = self._active[key] = Activation(
                key, self._factory, mailbox_size=self._limits.mailbox_size, counts=self.counts
            )
            self.counts.activations += 1
            self._clean_context.run(self._start, activation)
        return activation

    def _start(self, activation: Activation) -> None:
        self._nursery.start_soon(self._supervise, activation, name=activation.task_name)

    async def _supervise(self, activation: Activation) -> None:
        """Run one activation to its end, whatever end that is."""
        try:
            await activation.run()
        except BaseExceptionGroup as group:
            crash, rest = group.split(Exception)
            if crash is not None:
                self._record_crash(activation, crash)
            if rest is not None:
                raise rest from None
        finally:
            self._bury(activation)

    def _record_crash(self, activation: Activation, crash: BaseException) -> None:
        self.counts.crashes += 1
        self._supervisor.record_crash(activation.key)
        rests_s = self._supervisor.quarantine_left_s(activation.key)
        logger.error(
            "actor %s crashed while handling %s%s",
            activation.key,
            type(activation.in_hand).__name__ if activation.in_hand is not None else "no message",
            f"; in quarantine for {rests_s:g} s" if rests_s else "",
            exc_info=crash,
        )

    def _bury(self, activation: Activation) -> None:
        """Take an ended activation out of the table and answer all who wait for it, in one step. Idempotent."""
        if self._active.get(activation.key) is activation:
            del self._active[activation.key]
        activation.end()
        if self._is_closing and not self._active:
            self._all_gone.set()


@asynccontextmanager
async def open_registry(
    factory: Callable[[ActorContext], Actor], limits: RegistryLimits | None = None
) -> AsyncGenerator[Registry]:
    """Open a registry for the body of the `async with`, and close it with it.

    Args:
        factory: makes an actor for a context. It is called in the actor's own task and must not block; load in `recover`.
        limits: sizes and times.

    Yields:
        The registry.

    Raises:
        BaseExceptionGroup: what the body raised.

    When the body ends, the registry is closed gently (see `Registry.close`); when it fails or is cancelled, all actors are
    cancelled with it. Either way every open ask is answered before this returns. The context of the call is what actors run in.
    """
    async with trio.open_nursery() as nursery:
        registry = Registry(factory, limits or RegistryLimits(), nursery)
        nursery.start_soon(registry.sweep_for_ever, name="registry sweep")
        try:
            yield registry
            await registry.close()
        finally:
            registry.refuse_new_work()
            nursery.cancel_scope.cancel()
