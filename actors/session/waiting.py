"""The approval waiters of one session: who waits for which prompt, and the clock of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from placet.actors.protocol.commands import PromptDue
from placet.actors.session.prompts import decision_of

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Decision
    from placet.actors.protocol.records import ApprovalRecord
    from placet.actors.runtime import ActorContext, Reply
    from placet.actors.session.services import Services


class Waiting:
    """Keeps the reply of each turn that asks until its prompt ends, and tells the actor when a prompt is due.

    Args:
        context: the actor's, to be told.
        services: the alarm clock and the limits.
    """

    __slots__ = ("_context", "_replies", "_services")

    def __init__(self, context: ActorContext, services: Services) -> None:
        self._context = context
        self._services = services
        self._replies: dict[str, Reply[Decision]] = {}

    def keep(self, request_id: str, reply: Reply[Decision]) -> None:
        """Keep the reply of the turn that asks."""
        self._replies[request_id] = reply

    def opened(self, row: ApprovalRecord) -> None:
        """A prompt is open: start its clock, if it has one."""
        if row.prompt.expires_at is not None:
            warn_at = row.prompt.expires_at - self._services.limits.approval_warning_s
            self._remind(row.prompt.request_id, warn_at, row.prompt.expires_at)

    def extended(self, row: ApprovalRecord) -> None:
        """A prompt waits longer: its clock starts anew."""
        self.opened(row)

    def ended(self, row: ApprovalRecord) -> None:
        """A prompt has ended: answer who waits, stop its clock. Nobody need wait: the turn may be gone."""
        reply = self._replies.pop(row.prompt.request_id, None)
        if reply is not None:
            reply.send(decision_of(row))
        self.left(row)

    def left(self, row: ApprovalRecord) -> None:
        """Nobody is here any more to be told when a prompt is due: stop its clock."""
        self._services.alarm.forget(row.prompt.request_id)

    def _remind(self, request_id: str, at: float, *later: float) -> None:
        self._services.alarm.remind(request_id, at, partial(self._due, request_id, later))

    def _due(self, request_id: str, later: tuple[float, ...]) -> None:
        self._context.post_nowait(PromptDue(request_id=request_id))
        if later:
            self._remind(request_id, *later)
