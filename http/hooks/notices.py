"""What of the log a webhook is to hear of. Pure: who hears of it, and in which words, is said elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.actors.protocol import events as e
from placet.http.hooks.settings import HookEvent

if TYPE_CHECKING:
    from placet.actors.store import InboxEvent


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something to tell, small enough to keep many: the words are read from the store when it is told.

    Attributes:
        kind: what happened.
        position: of the event in the log.
        at: when it happened, Unix seconds.
        principal: whose turn it is about.
        run_id: the first public id of that turn's run.
        request_id: the prompt that it is about; empty for the end of a run.
        generation: of the prompt that has opened, else 0.
    """

    kind: HookEvent
    position: int
    at: float
    principal: str
    run_id: str
    request_id: str = ""
    generation: int = 0

    @property
    def identity(self) -> str:
        """The same text whenever the same is told again, also after a restart."""
        if self.kind is HookEvent.OPENED:  # of which there is one for each generation
            return f"{self.kind.value} {self.request_id} {self.generation}"
        return f"{self.kind.value} {self.position}"


def notices_of(item: InboxEvent) -> list[Notice]:
    """What an event is to those outside.

    A prompt that waits on after a restart is told of again, for it has another generation and an older link is good no more.
    """
    recorded = item.recorded
    match recorded.event:
        case e.ApprovalOpened(generation=generation, prompt=prompt):
            return [_notice(item, HookEvent.OPENED, prompt.request_id, generation)]
        case e.AdmissionResumed(generation=generation):  # what was asked since then has an event of its own
            waiting = [row.prompt for row in item.prompts if row.prompt.created_at < recorded.at]
            return [_notice(item, HookEvent.OPENED, prompt.request_id, generation) for prompt in waiting]
        case e.ApprovalExpiring(request_id=request_id):
            return [_notice(item, HookEvent.EXPIRING, request_id)]
        case e.ApprovalDecided(request_id=request_id) | e.ApprovalClosed(request_id=request_id):
            return [_notice(item, HookEvent.DECIDED, request_id)]
        case e.AdmissionSettled():
            return [_notice(item, HookEvent.ENDED, "")]
        case _:
            return []


def _notice(item: InboxEvent, kind: HookEvent, request_id: str, generation: int = 0) -> Notice:
    return Notice(
        kind=kind,
        position=item.recorded.position,
        at=item.recorded.at,
        principal=item.principal,
        run_id=item.run_id,
        request_id=request_id,
        generation=generation,
    )
