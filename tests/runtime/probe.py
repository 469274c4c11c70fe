"""An actor whose every move a test decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio

from placet.actors.protocol.errors import Conflict
from placet.actors.runtime import DEFERRED, Notice, Request
from placet.actors.runtime.envelope import trace_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.runtime import ActorContext, Message, Reply


class Add(Request[int], frozen=True):
    """Answered with the new total."""

    amount: int


class Hold(Request[str], frozen=True):
    """Deferred: the reply is kept in `Probe.held`."""


class Direct(Request[str], frozen=True):
    """Answered through the reply, twice."""


class Refuse(Request[None], frozen=True):
    """Answered with a `Conflict`."""


class Crash(Request[None], frozen=True):
    """Raises a `ZeroDivisionError`."""


class Block(Request[str], frozen=True):
    """Handled only when the test opens `World.gate`."""


class Note(Notice, frozen=True):
    """Remembered in `World.notes`."""

    text: str


class CrashNote(Notice, frozen=True):
    """Raises a `ZeroDivisionError`."""


class BlockNote(Notice, frozen=True):
    """Handled only when the test opens `World.gate`."""


class RefusedNote(Notice, frozen=True):
    """Raises a `Conflict`."""


class Call(Request[Any], frozen=True):
    """Runs any function on the probe, inside its handler."""

    fn: Callable[[Probe], Awaitable[object]]


def _open_gate() -> trio.Event:
    gate = trio.Event()
    gate.set()
    return gate


@dataclass
class World:
    """What a test sees of its probes, and how it steers them."""

    gate: trio.Event = field(default_factory=trio.Event)
    recovery_gate: trio.Event = field(default_factory=_open_gate)
    recover_error: Exception | None = None
    quiet: bool = True
    quiet_error: Exception | None = None
    probes: list[Probe] = field(default_factory=list)
    handled: list[Message] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    traces: list[str | None] = field(default_factory=list)

    def make(self, context: ActorContext) -> Probe:
        """Serve as the registry's factory."""
        return Probe(self, context)


class Probe:
    """See the messages above for what it does."""

    def __init__(self, world: World, context: ActorContext) -> None:
        self.world = world
        self.context = context
        self.total = 0
        self.held: list[Reply[Any]] = []
        world.probes.append(self)

    async def recover(self) -> None:
        await self.world.recovery_gate.wait()
        if self.world.recover_error is not None:
            raise self.world.recover_error

    def is_quiet(self) -> bool:
        if self.world.quiet_error is not None:
            raise self.world.quiet_error
        return self.world.quiet

    async def handle(self, message: Message, reply: Reply[Any]) -> object:
        self.world.handled.append(message)
        self.world.traces.append(trace_id.get())
        match message:
            case Add(amount=amount):
                self.total += amount
                return self.total
            case Hold():
                self.held.append(reply)
                return DEFERRED
            case Direct():
                reply.send("direct")
                reply.send("twice")
                return DEFERRED
            case Block() | BlockNote():
                await self.world.gate.wait()
                return "done"
            case Note(text=text):
                self.world.notes.append(text)
                return None
            case Call(fn=fn):
                return await fn(self)
            case Refuse() | RefusedNote():
                raise Conflict("no", code="refused")
            case _:
                return 1 // 0
