"""A tool that a turn runs: its start is on disk before it begins, its end before the agent goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import trio

from placet.actors.guard import shown
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import OUTCOME_UNKNOWN_CHOICES, Action, Choice
from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.faults import Point, reach
from placet.actors.session.journal import checked_result
from placet.actors.session.speech import whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from placet.actors.protocol.records import JournalEntry
    from placet.actors.session.turn import SessionTurn

PREVIEW_CHARACTERS = 2000
"""Of a tool's arguments in the log: a screenful. What is cut is said; the approval's prompt shows the whole command."""

_LOST = {
    "error": "The server went down while this ran; what it had done by then is not known. It was not run again."
}
_LEFT = {"error": "The tool was left before it had a result."}


class SessionToolCall:
    """Implements `placet.actors.agents.ToolCall`.

    A tool that had started and not ended when the server died is not run again by itself: a person says whether to retry it or to
    take it as failed. If nobody says, it failed.
    """

    def __init__(
        self,
        turn: SessionTurn,
        step: str,
        call_id: str,
        name: str,
        arguments: Mapping[str, Any],
        known: JournalEntry | None,
    ) -> None:
        self.call_id = call_id
        self.mark = mark_of(turn.admission_id, step)
        self.replayed = False
        self.result: Any = None
        self._turn = turn
        self._step = step
        self._name = name
        self._arguments = arguments
        self._known = known
        self._failed = True
        self._started_at = 0.0

    async def __aenter__(self) -> SessionToolCall:
        """Record the start; or find the result of before a crash."""
        self._started_at = trio.current_time()
        if self._known is None:
            await self._start()
        elif self._known.ended:
            self.replayed, self.result = True, self._known.result
        elif not await self._retry(self._known.started):
            await self._end(_LOST, failed=True)
            self.replayed, self.result = True, _LOST
        return self

    async def _start(self) -> None:
        await self._turn.outbox.add(
            e.ToolStarted(
                admission_id=self._turn.admission_id,
                generation=self._turn.generation,
                step=self._step,
                call_id=self.call_id,
                tool=self._name,
                preview=preview(self._arguments),
            )
        )
        await self._turn.outbox.flush()
        reach(Point.TOOL_STARTED)

    async def _retry(self, started: int) -> bool:
        """Ask about the start at that position of the log, and start again if so decided.

        The new start is recorded like the first. If it is lost too, it is another start, and its yes is used up.
        """
        action = Action(
            tool=self._name,
            arguments={"call_id": self.call_id, "started": started, "arguments": dict(self._arguments)},
            directory=self._turn.surroundings.workspace,
        )
        left = (
            "It still ran, and was ended"
            if self.mark in self._turn.left
            else "Nothing of it was found running"
        )
        decision = await self._turn.ask_person(
            action,
            preview(self._arguments),
            f"The server went down while {self._name} ran. {left}. What it had done by then is not known. Run it again?",
            kind="outcome_unknown",
            choices=OUTCOME_UNKNOWN_CHOICES,
            call_id=self.call_id,
        )
        if decision.choice != Choice.RETRY.value:
            return False
        await self._start()
        return True

    async def progress(self, text: str) -> None:
        """Show what the tool printed."""
        reach(Point.TOOL_HALF_DONE)
        await self._turn.outbox.add(
            e.ToolProgressed(
                admission_id=self._turn.admission_id,
                generation=self._turn.generation,
                call_id=self.call_id,
                text=whole(text),
            )
        )

    def finish(self, result: Any, *, failed: bool = False) -> None:
        """Say what the agent is given.

        Raises:
            PlacetError: `result_too_large`, or `invalid_result` if JSON cannot hold it.
        """
        self.result = checked_result(result, self._turn.surroundings.limits.step_result_bytes)
        self._failed = failed

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Record the end. Left by cancellation nothing is recorded: what the tool did is then not known."""
        if self.replayed or (kind is not None and not issubclass(kind, Exception)):
            return
        reach(Point.TOOL_ENDED)
        if self._failed and self.result is None:
            self.result = {"error": str(error)} if isinstance(error, PlacetError) else _LEFT
        await self._end(self.result, failed=self._failed)  # noqa: ASYNC102 - not cancelled, and a stop may cut it short

    async def _end(self, result: Any, *, failed: bool) -> None:
        await self._turn.outbox.add(
            e.ToolEnded(
                admission_id=self._turn.admission_id,
                generation=self._turn.generation,
                step=self._step,
                call_id=self.call_id,
                tool=self._name,
                failed=failed,
                duration_s=round(trio.current_time() - self._started_at, 3),
                result=result,
            )
        )
        await self._turn.outbox.flush()
        reach(Point.RESULT_STORED)


def mark_of(admission_id: str, step: str) -> str:
    """What the processes of a turn's tool call carry in their environment."""
    return f"{admission_id}/{step}"


def preview(arguments: Mapping[str, Any]) -> str:
    """A tool's arguments for people: a lone command as it is, else JSON; secrets masked, hidden characters escaped."""
    command = arguments.get("command")
    lone = isinstance(command, str) and len(arguments) == 1
    text = command if lone else msgspec.json.encode(msgspec.to_builtins(dict(arguments))).decode()
    visible = shown(str(text)).display
    if len(visible) <= PREVIEW_CHARACTERS:
        return visible
    return f"{visible[:PREVIEW_CHARACTERS]} … ({len(visible) - PREVIEW_CHARACTERS} more characters)"
