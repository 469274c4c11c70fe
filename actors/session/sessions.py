"""The door to all sessions of a server, and what the server does for them: recovery, house-keeping, drain."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from placet.actors.protocol.commands import Drain, Wake
from placet.actors.protocol.errors import NotFound, PlacetError, StoreUnavailable, Unavailable
from placet.actors.protocol.events import SERVER_STREAM, RuleRevoked
from placet.actors.runtime import Registry, RegistryLimits, open_registry
from placet.actors.session.actor import SessionActor
from placet.actors.store import Batch, PreconditionFailed, RuleLive, StreamAppend

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from placet.actors.protocol.messages import Request
    from placet.actors.session.services import Services
    from placet.actors.store import Store

R = TypeVar("R")
logger: Final = logging.getLogger("placet.session")

# Retention counts in days; an hour late is on time.
TIDY_EVERY_S: Final = 3600.0
# A disk that was full is freed by a person; a second later readiness may know.
PROBE_EVERY_S: Final = 1.0


class Sessions:
    """All sessions, by id. A session that is spoken to is there.

    Args:
        registry: activates the actors.
        services: what they share.
    """

    def __init__(self, registry: Registry, services: Services) -> None:
        self.registry = registry
        self.services = services

    @property
    def store(self) -> Store:
        """For reading: what needs no decision is read from the store, not asked of an actor."""
        return self.services.store

    async def ask(self, session_id: str, request: Request[R]) -> R:
        """Ask a session. Always a checkpoint.

        Raises:
            PlacetError: what the session refuses, or `Unavailable` if it cannot answer in time.

        Cancelled, the request may still be carried out: it is skipped only if the session had not begun it.
        """
        return await self.registry.ask(session_id, request)

    async def ask_new(self, session_id: str, request: Request[R]) -> R:
        """Ask a session whose id was made just now, at random: there is nothing to load, and nothing is looked for.

        As `ask` otherwise. Should there be such a session all the same, the store refuses to make it, and nothing happens.
        """
        self.services.unborn.add(session_id)
        try:
            return await self.ask(session_id, request)
        finally:
            self.services.unborn.discard(session_id)

    async def recover(self) -> int:
        """Wake every session that has something queued, started or unknown, a bounded number at a time.

        Returns:
            How many there were. A session that cannot be woken is logged; it is tried again when somebody speaks to it.
        """
        ids = await self.store.unsettled()
        gate = trio.CapacityLimiter(self.services.limits.recovery_parallel)
        async with trio.open_nursery() as nursery:
            for session_id in ids:
                await gate.acquire_on_behalf_of(session_id)
                nursery.start_soon(self._wake, session_id, gate)
        return len(ids)

    async def _wake(self, session_id: str, gate: trio.CapacityLimiter) -> None:
        try:
            await self.ask(session_id, Wake())
        except Unavailable as error:
            logger.error("session %s cannot be taken up: %s", session_id, error)
        finally:
            gate.release_on_behalf_of(session_id)

    async def keep_house(self) -> None:
        """Apply the retention rules now and then, until cancelled."""
        while True:
            try:
                report = await self.store.tidy(now=self.services.now(), limits=self.services.limits)
                logger.debug("tidied: %s", report)
            except StoreUnavailable as error:
                logger.warning("could not tidy: %s", error)
            await trio.sleep(TIDY_EVERY_S)

    async def look_after_store(self) -> None:
        """While the disk refuses, try now and then whether it takes writes again, until cancelled. Else nobody might write."""
        while True:
            await trio.sleep(PROBE_EVERY_S)
            if not self.store.health.ready:
                with suppress(StoreUnavailable):
                    await self.store.probe()

    async def drain(self, hurry: trio.Event) -> None:
        """Stop taking work, give running turns their grace, then end them; every watcher's stream ends after what it was owed.

        Args:
            hurry: set to skip the rest of the grace.
        """
        self.services.draining = True
        with trio.move_on_after(self.services.limits.drain_grace_s) as grace:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_cancel_when, hurry, grace)
                await self._ask_all(Drain(cut=False))
                nursery.cancel_scope.cancel()
        await self._ask_all(Drain(cut=True))
        self.services.inbox.close()

    async def revoke_rule(self, rule_id: str, by: str) -> None:
        """End a remembered approval. What it has let through stays let through. Always a checkpoint.

        Args:
            rule_id: which rule.
            by: the principal who revokes it.

        Raises:
            NotFound: `rule_not_found`: there is none, or it was revoked before.

        Once it is with the store it cannot be cancelled.
        """
        revoked = StreamAppend(SERVER_STREAM, (RuleRevoked(rule_id=rule_id, by=by),), None)
        try:
            await self.store.append(Batch((revoked,), self.services.now(), requires=(RuleLive(rule_id),)))
        except PreconditionFailed as error:
            raise NotFound("There is no rule of that id.", code="rule_not_found") from error
        self.services.lists.ring()

    async def _ask_all(self, request: Drain) -> None:
        async with trio.open_nursery() as nursery:
            for session_id in self.registry.active_keys():
                nursery.start_soon(self._ask_to_drain, session_id, request)

    async def _ask_to_drain(self, session_id: str, request: Drain) -> None:
        try:
            await self.ask(session_id, request)
        except PlacetError as error:
            logger.error("session %s did not drain: %s", session_id, error)


async def _cancel_when(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


@asynccontextmanager
async def open_sessions(
    services: Services, limits: RegistryLimits | None = None
) -> AsyncGenerator[Sessions, None]:
    """All sessions of a server, for the time of a block. On leaving, every actor ends; nothing is settled by that.

    Args:
        services: what the sessions share.
        limits: of the registry.
    """
    factory = partial(SessionActor, services=services)
    async with (
        open_registry(factory, limits or RegistryLimits()) as registry,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(services.alarm.run, name="alarm")
        yield Sessions(registry, services)
        nursery.cancel_scope.cancel()
