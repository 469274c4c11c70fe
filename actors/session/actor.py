"""The session's actor: it moves messages between the pure core, the store, the turn and those who watch.

For each command: decide, `await` the store, then in one synchronous block apply, act, publish, answer. While it awaits, nothing
else of the session happens, and it awaits nothing but the store.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from placet.actors.agents import end_left
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.answers import Admitted, Decided, SessionView, Stopped, Watching
from placet.actors.protocol.errors import Conflict, Draining, NotFound, TooMany, Unavailable
from placet.actors.protocol.records import AdmissionRecord, AdmissionStatus, ApprovalRecord, KeyRecord
from placet.actors.runtime import DEFERRED, ActorContext, Reply
from placet.actors.session import admissions, prompts
from placet.actors.session.core import Plan
from placet.actors.session.executor import DRAINED, Executor
from placet.actors.session.ledger import OutOfStep
from placet.actors.session.runner import Ending
from placet.actors.session.state import from_snapshot
from placet.actors.session.toolcall import mark_of
from placet.actors.store import PreconditionFailed

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Decision
    from placet.actors.protocol.messages import Message, Notice
    from placet.actors.session.services import Services

_Handler = TypeVar("_Handler", bound=Callable[..., Awaitable[object]])
logger: Final = logging.getLogger("placet.session")

# What the session owes itself (to start the next turn, to expire a prompt) is tried again after this when the disk refuses.
RETRY_S: Final = 1.0


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

    __slots__ = ("_context", "_drained", "_executor", "_services")

    def __init__(self, context: ActorContext, services: Services) -> None:
        self._context = context
        self._services = services
        self._executor = Executor(context, services)
        self._drained: Reply[None] | None = None

    # What the runtime calls

    async def recover(self) -> None:
        """Load the session. A turn that was begun by an earlier life of it is taken up or given up, never forgotten."""
        if self._context.key in self._services.unborn:
            return
        snapshot = await self._services.store.session(self._context.key)
        if snapshot is None:
            return
        self._executor.session = from_snapshot(snapshot)
        self._executor.scribe.seq = snapshot.session.head_seq
        running = self._executor.session.running
        if running is not None:
            self._executor.left = await self._end_left(running.admission_id)
            await self._executor.carry_out(admissions.recover, self._services.recovery, jump=True)
        for row in self._executor.session.open_prompts:
            self._executor.waiting.opened(row)
        self._executor.look_for_a_place()

    async def _end_left(self, admission_id: str) -> frozenset[str]:
        """End what still runs of tool calls that nobody saw end, whatever becomes of their turn. Returns their marks."""
        journal = await self._services.store.journal(admission_id)
        lost = {mark_of(admission_id, entry.step) for entry in journal if entry.call_id and not entry.ended}
        left = await end_left(lost)
        if left:
            logger.warning(
                "%s: commands of an earlier process still ran and were ended: %d",
                self._context.key,
                len(left),
            )
        return left

    async def handle(self, message: Message, reply: Reply[Any]) -> object:
        """Handle one message. What it awaits is the store."""
        return await _HANDLERS[type(message)](self, message, reply)

    def is_quiet(self) -> bool:
        """Whether nothing runs, nothing is about to, nobody is asked and nobody watches."""
        head = self._executor.session.head
        return (
            self._executor.flight is None
            and (head is None or head.status is AdmissionStatus.UNKNOWN)
            and not self._executor.session.open_prompts
            and self._executor.watchers.is_empty
        )

    # From the wire

    @_handles(c.Admit)
    async def _admit(self, command: c.Admit, reply: Reply[Admitted]) -> object:
        if self._services.draining:
            raise Draining("The server is shutting down. Try again in a moment.", retry_after_s=1.0)
        known = await self._known(command)
        if known is not None:
            run_id = known.run_id or await self._join(command, known.admission_id)
            return self._answer_with_tail(reply, run_id, known.admission_id, joined=True)
        if not self._services.room.has_place:
            raise TooMany("As many turns run as may. Try again when one has ended.", retry_after_s=1.0)
        admission_id = await self._executor.carry_out(admissions.admit, command)
        return self._answer_with_tail(reply, command.run_id, admission_id, joined=False)

    async def _join(self, command: c.Admit, admission_id: str) -> str:
        """The public id under which an exact retry follows the admission."""
        if not command.names_joins:
            return (await self._services.store.first_runs((admission_id,)))[admission_id]
        name = e.RunNamed(run_id=command.run_id, admission_id=admission_id, surface=command.surface)
        await self._executor.carry_out(lambda *_: Plan(events=(name,)), command)
        return command.run_id

    async def _known(self, command: c.Admit) -> KeyRecord | None:
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
        self, reply: Reply[Admitted], run_id: str, admission_id: str, *, joined: bool
    ) -> object:
        """Where the admission stands and what comes after, in one cut."""
        admission = self._executor.session.admission(admission_id)
        tail = None if admission is None else self._executor.watchers.watch()
        answer = Admitted(
            admission_id=admission_id,
            run_id=run_id,
            joined=joined,
            status=AdmissionStatus.TERMINAL if admission is None else admission.status,
            ahead=0 if admission is None else self._executor.session.queue.index(admission),
            head_seq=self._executor.scribe.seq,
            tail=tail,
            asked=self._executor.session.prompts_of(admission_id),
        )
        if not reply.send(answer) and tail is not None:
            tail.close()
        return DEFERRED

    @_handles(c.Watch)
    async def _watch(self, _command: c.Watch, reply: Reply[Watching]) -> object:
        tail = self._executor.watchers.watch()
        session = self._executor.session
        answer = Watching(
            head_seq=self._executor.scribe.seq,
            tail=tail,
            unsettled=tuple(item.admission_id for item in session.queue),
            asked=tuple(session.prompts.values()),
        )
        if not reply.send(answer):
            tail.close()
        return DEFERRED

    @_handles(c.OpenSession)
    async def _open_session(self, command: c.OpenSession, _reply: Reply[SessionView]) -> SessionView:
        await self._executor.carry_out(admissions.open_session, command)
        return await self._view()

    async def _view(self) -> SessionView:
        snapshot = await self._services.store.session(self._context.key)
        if snapshot is None:
            raise OutOfStep(f"{self._context.key} exists and is not there")
        return SessionView(session=snapshot.session)

    @_handles(c.ChangeSession)
    async def _change_session(self, command: c.ChangeSession, _reply: Reply[SessionView]) -> SessionView:
        await self._executor.carry_out(admissions.change_session, command)
        return await self._view()

    @_handles(c.DeleteSession)
    async def _delete_session(self, _command: c.DeleteSession, _reply: Reply[None]) -> None:
        admissions.check_deletion(self._executor.session)
        await self._services.store.delete_session(self._context.key, now=self._services.now())
        self._executor.forget()

    @_handles(c.Decide)
    async def _decide(self, command: c.Decide, _reply: Reply[Decided]) -> Any:
        if self._executor.session.admission(command.admission_id) is not None:
            return await self._executor.carry_out(prompts.decide, command)
        rows = await self._services.store.approvals_of(command.admission_id)
        row = prompts.check_decision(rows, command, turn_lives=False)
        raise OutOfStep(f"{row.prompt.request_id} is open and its admission is settled")

    @_handles(c.Clarify)
    async def _clarify(self, command: c.Clarify, _reply: Reply[Decided]) -> Any:
        if self._executor.session.admission(command.admission_id) is not None:
            return await self._executor.carry_out(prompts.clarify, command)
        rows = await self._services.store.approvals_of(command.admission_id)
        row = prompts.check_answer(rows, command, turn_lives=False)
        raise OutOfStep(f"{row.prompt.request_id} is open and its admission is settled")

    @_handles(c.Steer)
    async def _steer(self, command: c.Steer, _reply: Reply[None]) -> None:
        await self._executor.carry_out(admissions.steer, command)

    @_handles(c.Extend)
    async def _extend(self, command: c.Extend, _reply: Reply[ApprovalRecord]) -> Any:
        if self._executor.session.admission(command.admission_id) is not None:
            return await self._executor.carry_out(prompts.extend, command)
        rows = await self._services.store.approvals_of(command.admission_id)
        row = prompts.check_extension(rows, command, self._services.now())
        raise OutOfStep(f"{row.prompt.request_id} is open and its admission is settled")

    @_handles(c.Stop)
    async def _stop(self, command: c.Stop, _reply: Reply[Stopped]) -> Stopped:
        await self._executor.carry_out(admissions.stop, command)
        return await self._stopped(command.admission_id)

    @_handles(c.ForgetResponse)
    async def _forget_response(self, command: c.ForgetResponse, _reply: Reply[None]) -> None:
        await self._executor.carry_out(admissions.forget_response, command)

    @_handles(c.ResolveUnknown)
    async def _resolve_unknown(self, command: c.ResolveUnknown, _reply: Reply[Stopped]) -> Stopped:
        await self._executor.carry_out(admissions.resolve_unknown, command)
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
        if self._executor.flight is None:
            self._executor.watchers.let_go(DRAINED)
            return None
        self._drained = reply
        if command.cut:
            self._executor.flight.end(Ending.PARKED if self._services.agent.replayable else Ending.DRAINED)
        return DEFERRED

    # From the turn and the timers

    @_handles(c.Record)
    async def _record(self, command: c.Record, _reply: Reply[None]) -> None:
        relaxed = all(isinstance(item, e.TextAppended | e.ThoughtAppended) for item in command.outputs)
        await self._executor.carry_out(admissions.record, command, relaxed=relaxed)

    @_handles(c.OpenApproval)
    async def _open_approval(self, command: c.OpenApproval, reply: Reply[Decision]) -> object:
        prompt = command.prompt
        rule = None
        if prompt.rules:
            principal = self._executor.session.principal or ""
            rule = await self._services.store.rule(principal, self._context.key, prompt.rule_key)
        try:
            answer = await self._executor.carry_out(partial(prompts.open_approval, rule=rule), command)
        except PreconditionFailed as error:
            if error.code != "rule_revoked":
                raise
            answer = await self._executor.carry_out(partial(prompts.open_approval, rule=None), command)
        if not isinstance(answer, prompts.Waits):
            return answer
        self._executor.waiting.keep(answer.request_id, reply)
        return DEFERRED

    @_handles(c.EndTurn)
    async def _end_turn(self, command: c.EndTurn, _reply: Reply[None]) -> None:
        await self._executor.carry_out(admissions.end_turn, command)
        self._finish_drain()

    @_handles(c.Parked)
    async def _parked(self, _notice: c.Parked, _reply: Reply[Any]) -> None:
        self._executor.flight = None
        self._finish_drain()

    def _finish_drain(self) -> None:
        if self._services.draining and self._executor.flight is None:
            self._executor.watchers.let_go(DRAINED)
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
            await self._executor.carry_out(decider, notice)
        except Unavailable:
            logger.warning("%s cannot be recorded; trying again in %g s", type(notice).__name__, RETRY_S)
            self._context.start_soon(self._tell_later, RETRY_S, notice)

    async def _tell_later(self, pause_s: float, notice: Notice) -> None:
        await trio.sleep(pause_s)
        await self._context.tell(notice)
