"""Fills a data directory by the store alone, faster than any client could."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from placet.actors.protocol.approvals import Rule, RuleScope
from placet.actors.protocol.conversation import ChatMessage, Part, TurnInput, TurnResult
from placet.actors.protocol.events import (
    SERVER_STREAM,
    AdmissionAccepted,
    AdmissionClaimed,
    AdmissionSettled,
    Event,
    Outcome,
    RuleAdded,
    RunNamed,
    SessionOpened,
    TextAppended,
    ThoughtAppended,
)
from placet.actors.store import Batch, KeyFree, Store, StreamAppend, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INPUT = TurnInput(ChatMessage("user", (Part("text", "Please tidy the build directory. " * 6),)))
EVENTS_A_BATCH = 500
TOGETHER = 200
AT = 1_700_000_000.0


def admission(name: str) -> Batch:
    """What one request makes durable: a session, its ledger row, the message, a public id and an `Idempotency-Key`."""
    return Batch(
        (StreamAppend(f"s-{name}", _accepted(name), 0),), 1.0, requires=(KeyFree("api", "chat", name),)
    )


def _accepted(name: str) -> tuple[Event, ...]:
    return (
        SessionOpened(principal="api", ephemeral=True),
        AdmissionAccepted(
            admission_id=name, principal="api", surface="chat", input=INPUT, key=name, fingerprint="f" * 64
        ),
        RunNamed(run_id=f"chatcmpl-{name}", admission_id=name, surface="chat"),
    )


def _past_turn(name: str, thoughts: int) -> Iterator[Event]:
    """A named session with one turn that has ended. It thought much and said little, so that its history is short."""
    yield SessionOpened(principal="api")
    yield AdmissionAccepted(admission_id=name, principal="api", surface="runs", input=INPUT)
    yield RunNamed(run_id=f"run_{name}", admission_id=name, surface="runs")
    yield AdmissionClaimed(admission_id=name, generation=1)
    for _ in range(thoughts):
        yield ThoughtAppended(admission_id=name, generation=1, text="word ")
    yield TextAppended(admission_id=name, generation=1, text="done")
    result = TurnResult(text="done")
    yield AdmissionSettled(admission_id=name, generation=1, outcome=Outcome.COMPLETED, result=result)


async def fill_sessions(directory: Path, count: int) -> None:
    """Sessions `past-0` and so on, each with a short turn that has ended, each a second later than the one before."""
    async with open_store(directory) as store:
        for start in range(0, count, TOGETHER):
            async with trio.open_nursery() as nursery:
                for number in range(start, min(start + TOGETHER, count)):
                    name = f"past-{number}"
                    append = StreamAppend(name, tuple(_past_turn(name, 2)), 0)
                    nursery.start_soon(store.append, Batch((append,), AT + number))


async def fill_events(directory: Path, count: int, name: str) -> None:
    """A session with a turn of so many events."""
    async with open_store(directory) as store:
        await _append(store, name, list(_past_turn(name, count)), 0)


async def fill_rules(directory: Path, count: int) -> None:
    """Rules of the principal `api`, each for another command."""
    rules: list[Event] = [RuleAdded(_rule(number)) for number in range(count)]
    async with open_store(directory) as store:
        await _append(store, SERVER_STREAM, rules, None)


def _rule(number: int) -> Rule:
    return Rule(
        rule_id=f"rule_{number:032}",
        scope=RuleScope.ALWAYS,
        principal="api",
        session_id="past",
        rule_key=f"{number:064}",
        text=f"always: rm -rf build-{number}",
        request_id=f"apr_{number:032}",
        created_by="api",
        created_at=AT,
    )


async def _append(store: Store, stream: str, events: list[Event], head: int | None) -> None:
    for start in range(0, len(events), EVENTS_A_BATCH):
        part = tuple(events[start : start + EVENTS_A_BATCH])
        recorded = await store.append(Batch((StreamAppend(stream, part, head),), AT))
        head = None if head is None else recorded[-1].seq
