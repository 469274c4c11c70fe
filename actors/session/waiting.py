"""The approval waiters of one session: who waits for which prompt, and the clock of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from placet.actors.protocol.approvals import Decision
    from placet.actors.runtime import Reply


class Waiting:
    """Replies that are kept until their prompt ends, and a cancel scope for the timer of each open prompt."""

    def __init__(self) -> None:
        self._replies: dict[str, Reply[Decision]] = {}
        self._timers: dict[str, trio.CancelScope] = {}

    def keep(self, request_id: str, reply: Reply[Decision]) -> None:
        """Keep the reply of the turn that asks."""
        self._replies[request_id] = reply

    def timer(self, request_id: str) -> trio.CancelScope:
        """A scope for the prompt's timer; it is cancelled when the prompt ends."""
        scope = self._timers[request_id] = trio.CancelScope()
        return scope

    def end(self, request_id: str, decision: Decision) -> None:
        """The prompt has ended: answer who waits, stop its clock. Nobody need wait: the turn may be gone."""
        reply = self._replies.pop(request_id, None)
        if reply is not None:
            reply.send(decision)
        scope = self._timers.pop(request_id, None)
        if scope is not None:
            scope.cancel()
