"""Telling one webhook of one thing, until it has taken it or there is no more use."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING, Final

import msgspec
import trio

from placet import __version__
from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.protocol.retry_after import retry_after_s
from placet.http.hooks.outcome import GIVE_UP_AFTER_S, Outcome, outcome_of, pause_s
from placet.http.hooks.sending import Answered
from placet.http.hooks.settings import HookEvent
from placet.http.hooks.signature import signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.http.hooks.compose import Composer, Message
    from placet.http.hooks.notices import Notice
    from placet.http.hooks.sending import Send
    from placet.http.hooks.settings import WebhookConfig

SENDS_MAX: Final = 4
"""Requests to one webhook at once. Enough that one that is slow does not hold up the next; not enough to flood anybody."""

logger: Final = logging.getLogger("placet.hooks")


class Tally(msgspec.Struct):
    """How it goes with a webhook since the start. Times are Unix seconds, `None` for never.

    Attributes:
        last_success_at: when it last took something.
        last_failure_at: when an attempt last failed.
        last_failure: in which way.
        failures: attempts that have failed since it last took something.
        given_up: messages that it will never get.
    """

    last_success_at: float | None = None
    last_failure_at: float | None = None
    last_failure: str | None = None
    failures: int = 0
    given_up: int = 0


class Delivery:
    """Sends a webhook what it is to hear of.

    Args:
        hook: whom to tell.
        composer: finds the words.
        send: makes the requests.
        now: the wall clock, Unix seconds.

    Attributes:
        tally: how it goes.
    """

    def __init__(
        self, hook: WebhookConfig, composer: Composer, send: Send, now: Callable[[], float], tally: Tally
    ) -> None:
        self._hook = hook
        self._composer = composer
        self._send = send
        self._now = now
        self._sends = trio.CapacityLimiter(SENDS_MAX)
        self._tally = tally

    async def deliver(self, notice: Notice) -> None:
        """Tell it, again and again, until it has it, refuses it, or the notice is too old. Always a checkpoint.

        Cancelled, the webhook may have it or not; told again after a restart, it gets it under the same id.
        """
        if notice.kind is HookEvent.OPENED:
            await trio.sleep(max(0.0, notice.at + self._hook.delay_s - self._now()))
        attempt = 0
        while True:
            attempt += 1
            answered = await self._attempt(notice)
            if answered is None or self._is_end(notice, attempt, answered):
                return
            pause = pause_s(attempt, random.random(), retry_after_s(answered.retry_after, self._now()))
            if self._now() + pause > notice.at + GIVE_UP_AFTER_S:
                self._give_up(notice, attempt, answered)
                return
            await trio.sleep(pause)

    async def _attempt(self, notice: Notice) -> Answered | None:
        """What came of one attempt; `None` if there is nothing to tell."""
        async with self._sends:
            try:
                message = await self._composer.compose(self._hook, notice)
            except StoreUnavailable:
                return Answered(None, "the store cannot be read")
            return None if message is None else await self._post(message)

    async def _post(self, message: Message) -> Answered:
        hook = self._hook
        signature = signed(hook.keys, message.message_id, int(self._now()), message.body)
        own = {"User-Agent": f"placet/{__version__}", **message.headers}
        chosen = {name.lower() for name in (*hook.headers, *signature)}
        kept = {name: value for name, value in own.items() if name.lower() not in chosen}
        return await self._send(hook.url, kept | hook.headers | signature, message.body)

    def _is_end(self, notice: Notice, attempt: int, answered: Answered) -> bool:
        """Note what came of an attempt; whether it was the last."""
        tally, outcome = self._tally, outcome_of(answered.status)
        if outcome is Outcome.TAKEN:
            tally.last_success_at, tally.failures = self._now(), 0
            return True
        tally.last_failure_at, tally.last_failure = self._now(), answered.what
        tally.failures += 1
        if outcome is Outcome.REFUSED:
            self._give_up(notice, attempt, answered)
        return outcome is Outcome.REFUSED

    def _give_up(self, notice: Notice, attempt: int, answered: Answered) -> None:
        self._tally.given_up += 1
        logger.warning(
            "webhook %s does not get %s %s: %s, attempt %d",
            self._hook.name,
            notice.kind.value,
            self._composer.message_id(notice),
            answered.what,
            attempt,
        )
