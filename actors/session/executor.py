"""Carries out what the core decides: record it, and then in one synchronous block apply it, act on it and publish it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.faults import Point, reach
from placet.actors.protocol.records import AdmissionStatus
from placet.actors.session.audience import Audience
from placet.actors.session.core import Context
from placet.actors.session.ledger import Scribe
from placet.actors.session.runner import NONE_LEFT, Ending, Flight, run_turn
from placet.actors.session.state import Session, apply
from placet.actors.session.turn import Claimed
from placet.actors.session.waiting import Waiting
from placet.actors.store import IN_INBOX

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.protocol.conversation import TurnInput
    from placet.actors.runtime import ActorContext
    from placet.actors.session.core import Plan
    from placet.actors.session.room import Place
    from placet.actors.session.services import Services


DRAINED: Final = "gateway_draining"
"""The reason with which the broadcasts close when the server stops: there is nothing to take up again."""

DELETED: Final = "session_deleted"
"""The reason with which a session's broadcast closes when it is deleted: there is nothing more of it, ever."""


class Executor:
    """One session's state, and the only way to change it.

    Args:
        context: the actor's activation.
        services: what all sessions share.

    Attributes:
        session: what the session is.
        scribe: the end of its stream.
        flight: the turn that runs.
        waiting: who waits for which prompt.
        watchers: those who are told everything that is recorded.
        left: the marks of lost tool calls of which something still ran, and was ended.
    """

    __slots__ = (
        "_context",
        "_fresh_inputs",
        "_services",
        "flight",
        "left",
        "scribe",
        "session",
        "waiting",
        "watchers",
    )

    def __init__(self, context: ActorContext, services: Services) -> None:
        self._context = context
        self._services = services
        self._fresh_inputs: dict[str, TurnInput] = {}
        self.session = Session(context.key)
        self.scribe = Scribe(services.store, context.key)
        self.flight: Flight | None = None
        self.left = NONE_LEFT
        self.waiting = Waiting(context, services)
        self.watchers = Audience(services)
        context.on_end(self._ended)

    def _ended(self) -> None:
        for row in self.session.open_prompts:
            self.waiting.left(row)
        self._services.underway.leave(self.session)
        self.watchers.let_go("session_ended")

    def forget(self) -> None:
        """The session was deleted: it is as if it had never been, and who watched is let go."""
        self.session = Session(self._context.key)
        self.scribe.seq = 0
        self.watchers.let_go(DELETED)
        self.watchers = Audience(self._services)
        self._services.lists.ring()

    async def carry_out(
        self,
        decider: Callable[[Session, Any, Context], Plan],
        command: Any,
        *,
        jump: bool = False,
        relaxed: bool = False,
    ) -> Any:
        """Decide, record, and then in one synchronous block apply and act. Returns the plan's answer."""
        place = None if self._services.draining else self._services.room.take()
        try:
            now = self._services.now()
            context = Context(now=now, limits=self._services.limits, may_start=place is not None)
            plan = decider(self.session, command, context)
            for item in await self.scribe.write(plan, now, jump=jump, relaxed=relaxed):
                self.session = apply(self.session, item.event, item.at)
                self._act(item.event, place)
                self._services.underway.follow(self.session, item.event)
                self.watchers.tell(item)
        finally:
            if place is not None and (self.flight is None or self.flight.place is not place):
                place.give()
        self._fresh_inputs.clear()
        if any(type(event) in IN_INBOX for event in plan.events):
            self._services.inbox.ring()
        if not all(isinstance(event, e.Output) for event in plan.events):
            self._services.lists.ring()
        self.look_for_a_place()
        return plan.answer

    def _act(self, event: e.Event, place: Place | None) -> None:
        """What follows from an event, beyond the state."""
        match event:
            case e.AdmissionAccepted():
                reach(Point.ADMITTED)
                self._fresh_inputs[event.admission_id] = event.input
            case e.AdmissionClaimed():
                reach(Point.CLAIMED)
                self._start_turn(event, place)
            case e.AdmissionResumed():
                self._start_turn(event, place)
            case e.StopRequested() if self.flight is not None:
                self.flight.end(Ending.STOPPED)
            case e.SteeringReceived() if self.flight is not None:
                self.flight.steering.append(event.text)
            case e.ApprovalOpened():
                reach(Point.PROMPT_STORED)
                self.waiting.opened(self.session.prompts[event.prompt.request_id])
                if self.flight is not None:
                    self.flight.place.pause()
            case e.ApprovalExtended():
                self.waiting.extended(self.session.prompts[event.request_id])
            case e.ApprovalDecided() | e.ApprovalClosed():
                reach(Point.DECISION_STORED)
                self.waiting.ended(self.session.prompts[event.request_id])
                if self.flight is not None:
                    self.flight.place.resume()
            case e.AdmissionSettled() if self._is_flying(event):
                reach(Point.SETTLED)
                self._end_flight()
            case _:
                pass

    def _is_flying(self, event: e.AdmissionSettled) -> bool:
        return self.flight is not None and self.flight.claimed.admission_id == event.admission_id

    def _end_flight(self) -> None:
        if self.flight is not None:
            self.flight.place.give()
            self.flight = None

    def _start_turn(self, event: e.AdmissionClaimed | e.AdmissionResumed, place: Place | None) -> None:
        resumed = isinstance(event, e.AdmissionResumed)
        claimed = Claimed(self._context.key, event.admission_id, event.generation)
        self.flight = Flight(
            claimed,
            place or self._services.room.force(),
            resumed=resumed,
            asked=self._fresh_inputs.get(event.admission_id),
            steering=() if self.session.running is None else self.session.running.steering,
            left=self.left,
        )
        for _ in self.session.open_prompts:
            self.flight.place.pause()
        self._context.start_soon(run_turn, self._context, self._services, self.flight)

    def look_for_a_place(self) -> None:
        """If the next turn only wants a place, be called when there is one."""
        head = self.session.head
        if head is not None and head.status is AdmissionStatus.QUEUED and not self._services.draining:
            self._services.room.when_free(self._context.key, lambda: self._context.post_nowait(c.Proceed()))
