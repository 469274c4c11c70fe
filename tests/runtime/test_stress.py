"""A crowd of random clients against a registry of random actors: every ask ends, and none is handled twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from placet.actors.protocol.errors import ActorStopped, AskTimedOut, Conflict, MailboxFull
from placet.actors.runtime import DEFERRED, RegistryLimits, Request, open_registry

if TYPE_CHECKING:
    from placet.actors.runtime import ActorContext, Counts, Message, Registry, Reply

CLIENTS = 12
ASKS_EACH = 15
LIMITS = RegistryLimits(
    mailbox_size=3, idle_after_s=2, sweep_every_s=0.5, max_active=3, quarantine_base_s=0.5, close_grace_s=1
)


class Do(Request[int], frozen=True):
    """Answered with its number, if it is."""

    number: int


@dataclass
class Chaos:
    """What happened, and the dice."""

    random: Random
    handled: Counter[int] = field(default_factory=Counter)
    running: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    overlaps: int = 0


class Mayhem:
    """Answers, defers, refuses, forgets or dies; it also counts who else is at work under its key."""

    def __init__(self, chaos: Chaos, context: ActorContext) -> None:
        self.chaos = chaos
        self.context = context

    async def recover(self) -> None:
        await trio.sleep(self.chaos.random.random())

    def is_quiet(self) -> bool:
        return True

    async def handle(self, message: Message, reply: Reply[Any]) -> object:
        assert isinstance(message, Do)
        chaos = self.chaos
        chaos.handled[message.number] += 1
        chaos.running[self.context.key] += 1
        chaos.overlaps += chaos.running[self.context.key] > 1
        try:
            await trio.sleep(chaos.random.random() / 4)
            match chaos.random.choice(
                ["answer"] * 6 + ["defer", "defer", "refuse", "die", "child dies", "forget"]
            ):
                case "answer":
                    return message.number
                case "defer":
                    self.context.start_soon(self._answer_later, message.number, reply)
                case "refuse":
                    raise Conflict("no")
                case "die":
                    raise ZeroDivisionError
                case "child dies":
                    self.context.start_soon(self._die)
                case _:
                    pass
            return DEFERRED
        finally:
            chaos.running[self.context.key] -= 1

    async def _answer_later(self, number: int, reply: Reply[Any]) -> None:
        await trio.sleep(self.chaos.random.random())
        reply.send(number)

    async def _die(self) -> None:
        await trio.sleep(self.chaos.random.random() / 2)
        raise ZeroDivisionError


async def be_a_client(chaos: Chaos, registry: Registry, client: int) -> None:
    for turn in range(ASKS_EACH):
        with trio.move_on_after(chaos.random.choice([0.1, 1, 10])) as scope:
            await ask_once(chaos, registry, client * ASKS_EACH + turn)
        chaos.ends["cancelled"] += scope.cancelled_caught
        await trio.sleep(chaos.random.random() * 2)


async def ask_once(chaos: Chaos, registry: Registry, number: int) -> None:
    key, timeout_s = chaos.random.choice("abcdefgh"), chaos.random.choice([0.5, 5])
    try:
        answer = await registry.ask(key, Do(number), timeout_s=timeout_s)
    except (ActorStopped, AskTimedOut, Conflict, MailboxFull) as error:
        chaos.ends[type(error).__name__] += 1
    else:
        chaos.ends["answered" if answer == number else "answered wrongly"] += 1


async def run_chaos(chaos: Chaos) -> Counts:
    with trio.fail_after(1_000):
        async with open_registry(lambda context: Mayhem(chaos, context), LIMITS) as registry:
            async with trio.open_nursery() as nursery:
                for client in range(CLIENTS):
                    nursery.start_soon(be_a_client, chaos, registry, client)
            await registry.close()
            return registry.counts


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_ask_ends_and_none_is_handled_twice(seed: int) -> None:
    chaos = Chaos(Random(seed))
    counts = trio.run(run_chaos, chaos, clock=MockClock(autojump_threshold=0))
    assert chaos.ends.total() == CLIENTS * ASKS_EACH
    assert chaos.ends["answered"] > 0
    assert chaos.ends["answered wrongly"] == 0
    assert max(chaos.handled.values()) == 1
    assert chaos.overlaps == 0
    assert not +chaos.running
    # the dice must have reached what this test is about
    assert counts.crashes > 0
    assert counts.passivations > 0
    assert counts.skipped > 0
