"""What is answered to who tells a run something, described."""

from typing import Literal

from placet.http.record import Record


class SteerAccepted(Record, frozen=True, kw_only=True):
    """The run will read it."""

    object: Literal["hermes.run.steer"]
    run_id: str
    accepted: Literal[True]


class ClarifyAnswer(Record, frozen=True, kw_only=True):
    """An answer that holds.

    Attributes:
        status: `already_resolved` if the same had been answered before.
        decided_at: Unix seconds.
    """

    object: Literal["clarify.answer"]
    run_id: str
    request_id: str
    prompt_id: str
    answer: str
    status: Literal["resolved", "already_resolved"]
    decided_by: str
    decided_at: float
