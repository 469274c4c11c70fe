"""A turn that people talk to while it runs."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from tests.agents.fakes import FakeTurn


class TalkedTo(FakeTurn):
    """A `FakeTurn` with answers to questions, and with what it is told by the way.

    Attributes:
        replies: to `ask`, in order.
        steering: what the next `take_steering` gives.
    """

    def __init__(self, *args: str, **kwargs: str) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.replies: list[str | None] = []
        self.steering: list[str] = []

    async def ask(
        self,
        question: str,
        choices: Sequence[str] = (),
        timeout_s: float | None = None,
        *,
        call_id: str | None = None,
    ) -> str | None:
        await trio.lowlevel.checkpoint()
        self.events.append(("question", question, tuple(choices)))
        return self.replies.pop(0)

    def take_steering(self) -> tuple[str, ...]:
        taken, self.steering = tuple(self.steering), []
        return taken
