"""The session's actor: it moves messages between the pure core, the store, the turn and those who watch.

For each command: decide, `await` the store, then in one synchronous block apply, act, publish, answer. While it awaits, nothing
else of the session happens, and it awaits nothing but the store.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.answers import Admitted, Decided, SessionView, Stopped, Watching
from placet.actors.protocol.errors import Conflict, Draining, NotFound, TooMany, Unavailable
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus
from placet.actors.runtime import DEFERRED, ActorContext, Broadcast, Reply
from placet.actors.session import admissions, prompts
from placet.actors.session.core import Context, Plan
from placet.actors.session.ledger import OutOfStep, Scribe
from placet.actors.session.runner import Ending, Flight, run_turn
from placet.actors.session.state import Session, apply, from_snapshot
from placet.actors.session.turn import Claimed
from placet.actors.session.waiting import Waiting

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Decision
    from placet.actors.protocol.conversation import TurnInput
    from placet.actors.protocol.messages import Message, Notice
    from placet.actors.session.room import Place
    from placet.actors.session.services import Services

_Handler = TypeVar("_Handler", bound=Callable[..., Awaitable[object]])
logger: Final = logging.getLogger("placet.session")

# What the session owes itself (to start the next turn, to expire a prompt) is tried again after this when the disk refuses.
RETRY_S: Final = 1.0


DRAINED: Final = "gateway_draining"
"""The reason with which the broadcasts close when the server stops: there is nothing to take up again."""

_HANDLERS: Final[dict[type[Any], Callable[[Any, Any, Reply[Any]], Awaitable[object]]]] = {}


def _handles(kind: type[Any]) -> Callable[[_Handler], _Handler]:
    """Make a method the handler of a kind of message."""

    def register(method: _Handler) -> _Handler:
        _HANDLERS[kind] = method
        return method

    return register


class SessionActor:
    """One session.

    Args:
        context: this activation.
        services: what all sessions share.
    """

    def __init__(self, context: ActorContext, services: Services) -> None:
        self._context = context
        self._services = services
        self._session = Session(context.key)
        self._scribe = Scribe(services.store, context.key)
        self._fresh_inputs: dict[str, TurnInput] = {}
        self._flight: Flight | None = None
        self._waiting = Waiting(context, services)
        self._drained: Reply[None] | None = None
        self._watchers: Broadcast[e.Recorded] = Broadcast(
            max_items=services.limits.subscriber_events, max_bytes=services.limits.subscriber_bytes
        )
        context.on_end(lambda: self._watchers.close("session_ended"))

    # What the runtime calls

    async def recover(self) -> None:
        """Load the session. A turn that was begun by an earlier life of it is taken up or given up, never forgotten."""
        snapshot = await self._services.store.session(self._context.key)
        if snapshot is None:
            return
        self._session = from_snapshot(snapshot)
        self._scribe.seq = snapshot.session.head_seq
        if self._session.running is not None:
            await self._carry_out(admissions.recover, self._services.recovery, jump=True)
        for row in self._session.open_prompts:
            self._waiting.opened(row)
        self._look_for_a_place()

    async def handle(self, message: Message, reply: Reply[Any]) -> object:
        """Handle one message. What it awaits is the store."""
        return await _HANDLERS[type(message)](self, message, reply)

    def is_quiet(self) -> bool:
        """Whether nothing runs, nothing is about to, nobody is asked and nobody watches."""
        head = self._session.head
        return (
            self._flight is None
            and (head is None or head.status is AdmissionStatus.UNKNOWN)
            and not self._session.open_prompts
            and not self._watchers.subscriber_count
        )

    # From the wire

    @_handles(c.Admit)
    async def _admit(self, command: c.Admit, reply: Reply[Admitted]) -> object:
        if self._services.draining:
            raise Draining("The server is shutting down. Try again in a moment.", retry_after_s=1.0)
        known = await self._known(command)
        if known is None:
            if not self._services.room.has_place:
                raise TooMany("As many turns run as may. Try again when one has ended.", retry_after_s=1.0)
            admission_id = await self._carry_out(admissions.admit, command)
        else:
            admission_id = known.admission_id
            name = e.RunNamed(run_id=command.run_id, admission_id=admission_id, surface=command.surface)
            await self._carry_out(lambda *_: Plan(events=(name,)), command)
        return self._answer_with_tail(reply, command, admission_id, joined=known is not None)

    async def _known(self, command: c.Admit) -> Any:
        """What the command's key stands for already, if it is the same request."""
        if command.key is None:
            return None
        record = await self._services.store.key(
            command.principal, command.surface, command.key, now=self._services.now()
        )
        if record is not None and (record.session_id, record.fingerprint) != (
            self._context.key,
            command.fingerprint,
        ):
            raise Conflict(
                "This Idempotency-Key was used for another request. Use a new key for new work.",
                code="idempotency_key_conflict",
            )
        return record

    def _answer_with_tail(
        self, reply: Reply[Admitted], command: c.Admit, admission_id: str, *, joined: bool
    ) -> object:
        """Where the admission stands and what comes after, in one cut."""
        admission = self._session.admission(admission_id)
        tail = None if admission is None else self._watchers.subscribe()
        answer = Admitted(
            admission_id=admission_id,
            run_id=command.run_id,
            joined=joined,
            status=AdmissionStatus.TERMINAL if admission is None else admission.status,
            ahead=0 if admission is None else self._session.queue.index(admission),
            head_seq=self._scribe.seq,
            tail=tail,
        )
        if not reply.send(answer) and tail is not None:
            tail.close()
        return DEFERRED

    @_handles(c.Watch)
    async def _watch(self, _command: c.Watch, reply: Reply[Watching]) -> object:
        tail = self._watchers.subscribe()
        answer = Watching(head_seq=self._scribe.seq, tail=tail, prompts=self._session.open_prompts)
        if not reply.send(answer):
            tail.close()
        return DEFERRED

    @_handles(c.OpenSession)
    async def _open_session(self, command: c.OpenSession, _reply: Reply[SessionView]) -> SessionView:
        await self._carry_out(admissions.open_session, command)
        snapshot = await self._services.store.session(self._context.key)
        if snapshot is None:
            raise OutOfStep(f"{self._context.key} was opened and is not there")
        return SessionView(session=snapshot.session)

    @_handles(c.Decide)
    async def _decide(self, command: c.Decide, _reply: Reply[Decided]) -> Any:
        if self._session.admission(command.admission_id) is not None:
            return await self._carry_out(prompts.decide, command)
        rows = await self._services.store.approvals_of(command.admission_id)
        row = prompts.check_decision(rows, command, turn_lives=False)
        raise OutOfStep(f"{row.prompt.request_id} is open and its admission is settled")

    @_handles(c.Stop)
    async def _stop(self, command: c.Stop, _reply: Reply[Stopped]) -> Stopped:
        await self._carry_out(admissions.stop, command)
        return await self._stopped(command.admission_id)

    @_handles(c.ResolveUnknown)
    async def _resolve_unknown(self, command: c.ResolveUnknown, _reply: Reply[Stopped]) -> Stopped:
        await self._carry_out(admissions.resolve_unknown, command)
        return await self._stopped(command.admission_id)

    async def _stopped(self, admission_id: str) -> Stopped:
        record: AdmissionRecord | None = await self._services.store.admission(admission_id)
        if record is None:
            raise NotFound("There is no run of that id.", code="run_not_found")
        return Stopped(admission=record, stopping=record.status is AdmissionStatus.STARTED)

    @_handles(c.Wake)
    async def _wake(self, _command: c.Wake, _reply: Reply[None]) -> None:
        """Nothing to do: being activated was the point."""

    @_handles(c.Drain)
    async def _drain(self, command: c.Drain, reply: Reply[None]) -> object:
        if self._flight is None:
            self._watchers.close(DRAINED)
            return None
        self._drained = reply
        if command.cut:
            self._flight.end(Ending.PARKED if self._services.agent.replayable else Ending.DRAINED)
        return DEFERRED

    # From the turn and the timers

    @_handles(c.Record)
    async def _record(self, command: c.Record, _reply: Reply[None]) -> None:
        relaxed = all(isinstance(item, e.TextAppended | e.ThoughtAppended) for item in command.outputs)
        await self._carry_out(admissions.record, command, relaxed=relaxed)

    @_handles(c.OpenApproval)
    async def _open_approval(self, command: c.OpenApproval, reply: Reply[Decision]) -> object:
        prompt = command.prompt
        rule = None
        if prompt.rules:
            principal = self._session.principal or ""
            rule = await self._services.store.rule(principal, self._context.key, prompt.rule_key)
        answer = await self._carry_out(
            lambda session, asked, context: prompts.open_approval(session, asked, rule, context), command
        )
        if not isinstance(answer, prompts.Waits):
            return answer
        self._waiting.keep(answer.request_id, reply)
        return DEFERRED

    @_handles(c.EndTurn)
    async def _end_turn(self, command: c.EndTurn, _reply: Reply[None]) -> None:
        await self._carry_out(admissions.end_turn, command)
        self._finish_drain()

    @_handles(c.Parked)
    async def _parked(self, _notice: c.Parked, _reply: Reply[Any]) -> None:
        self._flight = None
        self._finish_drain()

    def _finish_drain(self) -> None:
        if self._services.draining and self._flight is None:
            self._watchers.close(DRAINED)
            if self._drained is not None:
                self._drained.send(None)

    @_handles(c.Proceed)
    async def _proceed(self, notice: c.Proceed, _reply: Reply[Any]) -> None:
        await self._carry_out_or_retry(admissions.proceed, notice)

    @_handles(c.PromptDue)
    async def _prompt_due(self, notice: c.PromptDue, _reply: Reply[Any]) -> None:
        await self._carry_out_or_retry(prompts.prompt_due, notice)

    async def _carry_out_or_retry(self, decider: Any, notice: Notice) -> None:
        try:
            await self._carry_out(decider, notice)
        except Unavailable:
            logger.warning("%s cannot be recorded; trying again in %g s", type(notice).__name__, RETRY_S)
            self._context.start_soon(self._tell_later, RETRY_S, notice)

    async def _tell_later(self, pause_s: float, notice: Notice) -> None:
        await trio.sleep(pause_s)
        await self._context.tell(notice)

    # Decide, store, then all at once

    async def _carry_out(
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
            plan = decider(self._session, command, context)
            for item in await self._scribe.write(plan, now, jump=jump, relaxed=relaxed):
                self._session = apply(self._session, item.event, item.at)
                self._act(item.event, place)
                self._watchers.publish(item, item.size_bytes)
        finally:
            if place is not None and (self._flight is None or self._flight.place is not place):
                place.give()
        self._fresh_inputs.clear()
        self._look_for_a_place()
        return plan.answer

    def _act(self, event: e.Event, place: Place | None) -> None:
        """What follows from an event, beyond the state."""
        match event:
            case e.AdmissionAccepted():
                self._fresh_inputs[event.admission_id] = event.input
            case e.AdmissionClaimed():
                self._start_turn(event, place)
            case e.AdmissionResumed():
                self._start_turn(event, place)
            case e.StopRequested() if self._flight is not None:
                self._flight.end(Ending.STOPPED)
            case e.ApprovalOpened():
                self._waiting.opened(self._session.prompts[event.prompt.request_id])
                if self._flight is not None:
                    self._flight.place.pause()
            case e.ApprovalDecided() | e.ApprovalClosed():
                self._waiting.ended(self._session.prompts[event.request_id])
                if self._flight is not None:
                    self._flight.place.resume()
            case e.AdmissionSettled() if self._is_flying(event):
                self._end_flight()
            case _:
                pass

    def _is_flying(self, event: e.AdmissionSettled) -> bool:
        return self._flight is not None and self._flight.claimed.admission_id == event.admission_id

    def _end_flight(self) -> None:
        if self._flight is not None:
            self._flight.place.give()
            self._flight = None

    def _start_turn(self, event: e.AdmissionClaimed | e.AdmissionResumed, place: Place | None) -> None:
        resumed = isinstance(event, e.AdmissionResumed)
        claimed = Claimed(self._context.key, event.admission_id, event.generation)
        self._flight = Flight(
            claimed,
            place or self._services.room.force(),
            resumed=resumed,
            asked=self._fresh_inputs.get(event.admission_id),
        )
        for _ in self._session.open_prompts:
            self._flight.place.pause()
        self._context.start_soon(run_turn, self._context, self._services, self._flight)

    def _look_for_a_place(self) -> None:
        """If the next turn only wants a place, be called when there is one."""
        head = self._session.head
        if head is not None and head.status is AdmissionStatus.QUEUED and not self._services.draining:
            self._services.room.when_free(self._context.key, lambda: self._context.post_nowait(c.Proceed()))
