"""The approval waiters of one session: who waits for which prompt, and the clock of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

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
        context: the actor's, for the timers.
        services: the wall clock and the limits.
    """

    def __init__(self, context: ActorContext, services: Services) -> None:
        self._context = context
        self._services = services
        self._replies: dict[str, Reply[Decision]] = {}
        self._timers: dict[str, trio.CancelScope] = {}

    def keep(self, request_id: str, reply: Reply[Decision]) -> None:
        """Keep the reply of the turn that asks."""
        self._replies[request_id] = reply

    def opened(self, row: ApprovalRecord) -> None:
        """A prompt is open: start its clock, if it has one."""
        if row.prompt.expires_at is not None:
            scope = self._timers[row.prompt.request_id] = trio.CancelScope()
            self._context.start_soon(self._remind, scope, row.prompt.request_id, row.prompt.expires_at)

    def extended(self, row: ApprovalRecord) -> None:
        """A prompt waits longer: its clock starts anew."""
        self._stop_clock(row.prompt.request_id)
        self.opened(row)

    def ended(self, row: ApprovalRecord) -> None:
        """A prompt has ended: answer who waits, stop its clock. Nobody need wait: the turn may be gone."""
        reply = self._replies.pop(row.prompt.request_id, None)
        if reply is not None:
            reply.send(decision_of(row))
        self._stop_clock(row.prompt.request_id)

    def _stop_clock(self, request_id: str) -> None:
        scope = self._timers.pop(request_id, None)
        if scope is not None:
            scope.cancel()

    async def _remind(self, scope: trio.CancelScope, request_id: str, expires_at: float) -> None:
        with scope:
            for due in (expires_at - self._services.limits.approval_warning_s, expires_at):
                # The wall clock may be set meanwhile, so it is asked again after each sleep.
                while (left_s := due - self._services.now()) > 0:  # noqa: ASYNC110
                    await trio.sleep(left_s)
                await self._context.tell(PromptDue(request_id=request_id))
