"""A message on its way: what the runtime knows of it."""

from __future__ import annotations

import math
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import trio

from placet.actors.runtime.reply import NOBODY, Reply

if TYPE_CHECKING:
    from placet.actors.protocol.messages import Notice, Request

# Set it at the border, one id for each HTTP request. It is the one thing of the caller's context that reaches an actor: it
# travels in the envelope and is set around the handler, and so in the tasks that the handler starts.
trace_id: Final[ContextVar[str | None]] = ContextVar("placet_trace_id", default=None)


@dataclass(slots=True)
class Envelope:
    """A message, where its answer goes, and until when anybody wants it.

    Attributes:
        message: what is delivered.
        reply: the asker's reply, or `NOBODY` for a notice.
        deadline: the caller's effective deadline, on trio's clock; infinite for a notice.
        trace: the caller's `trace_id`.
    """

    message: Request[Any] | Notice
    reply: Reply[Any]
    deadline: float
    trace: str | None

    @classmethod
    def of_request(cls, request: Request[Any], reply: Reply[Any]) -> Envelope:
        """Wrap `request` for the calling task, with the deadline that is in force around the call."""
        return cls(request, reply, trio.current_effective_deadline(), trace_id.get())

    @classmethod
    def of_notice(cls, notice: Notice) -> Envelope:
        """Wrap `notice`. It never expires: its sender waits for nothing."""
        return cls(notice, NOBODY, math.inf, trace_id.get())

    @property
    def is_notice(self) -> bool:
        """Whether nobody is to be answered."""
        return self.reply is NOBODY

    def has_expired(self, now: float) -> bool:
        """Whether its asker has gone, or may wait no longer."""
        return self.deadline <= now or (self.reply.abandoned and not self.is_notice)
