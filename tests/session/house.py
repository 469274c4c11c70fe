"""A house of sessions on a clock that jumps, with the store in memory and agents written in the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio

from placet.actors.agents import Agent, Surroundings
from placet.actors.guard import Policy
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.answers import Admitted, Decided
from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.records import AdmissionRecord
from placet.actors.session import Services, Sessions, open_sessions
from placet.actors.store import Store

EPOCH = 1_000_000.0


def wall_clock() -> float:
    """Unix seconds that follow trio's clock."""
    return EPOCH + trio.current_time()


def services_for(
    function: Callable[..., Any],
    store: Store,
    limits: Limits,
    *,
    replayable: bool = False,
    interrupt: bool = False,
    blocking: bool = False,
) -> Services:
    return Services(
        store=store,
        agent=Agent(name="test", function=function, blocking=blocking, replayable=replayable),
        surroundings=Surroundings("/w", limits, Policy()),
        limits=limits,
        now=wall_clock,
        interrupt_lost=interrupt,
    )


@asynccontextmanager
async def open_house(
    function: Callable[..., Any],
    *,
    store: Store | None = None,
    limits: Limits | None = None,
    replayable: bool = False,
    interrupt: bool = False,
) -> AsyncIterator[Sessions]:
    limits = limits or Limits()
    services = services_for(
        function, store or Store.inline(), limits, replayable=replayable, interrupt=interrupt
    )
    async with open_sessions(services) as sessions:
        yield sessions


def submission(text: str = "hi", *, run_id: str = "run_1", key: str | None = None, **more: Any) -> c.Admit:
    return c.Admit(
        principal="api",
        surface="chat",
        run_id=run_id,
        input=TurnInput(content=ChatMessage("user", (Part("text", text),))),
        key=key,
        fingerprint=f"fingerprint of {text}",
        opens=e.SessionOpened(principal="api"),
        **more,
    )


async def watch_until(admitted: Admitted, *kinds: type[Any]) -> list[e.Recorded]:
    """What the admission's tail gives, up to and with the first event of one of the kinds."""
    assert admitted.tail is not None
    seen: list[e.Recorded] = []
    while True:
        for item in await admitted.tail.receive():
            seen.append(item)
            if isinstance(item.event, kinds):
                return seen


async def settled(sessions: Sessions, admitted: Admitted) -> AdmissionRecord:
    """The admission once it has ended."""
    while (await watch_until(admitted, e.AdmissionSettled))[-1].event.admission_id != admitted.admission_id:
        pass  # another input's end
    record = await sessions.store.admission(admitted.admission_id)
    assert record is not None
    return record


async def answer(
    sessions: Sessions, session_id: str, admission_id: str, choice: Choice = Choice.ONCE, **more: Any
) -> Decided:
    fields: dict[str, Any] = {"request_id": None, "generation": None, "digest": None, "reason": ""} | more
    command = c.Decide(admission_id=admission_id, choice=choice, by="ann", origin="test", **fields)
    return await sessions.ask(session_id, command)
