"""The stream of a response: the composition's steps, numbered and written as frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from placet.actors.protocol import events as e
from placet.http.dialect import Dialect
from placet.http.errors import error_object
from placet.http.responses.composition import Composition
from placet.http.responses.envelope import envelope
from placet.http.responses.items import in_last_frame
from placet.http.sse import json_frame

if TYPE_CHECKING:
    from placet.actors.protocol.errors import PlacetError
    from placet.actors.protocol.events import Recorded
    from placet.actors.protocol.responses import ResponseRecord
    from placet.http.responses.voices import Step

_OPENING: Final[tuple[Step, ...]] = (("response.created", {}), ("response.in_progress", {}))
_ENDS: Final = tuple(f"response.{status}" for status in ("completed", "failed", "cancelled", "incomplete"))


class ResponseRenderer:
    """Frames of one response, all of them or those after a number.

    `sequence_number` begins at 0 and has no gap. It follows from the run's events alone, so every stream of the response has the
    same frames, whoever reads it and whenever; exactly one of them, the last, is an end. There is no `[DONE]`.

    The dialect says how prompts are shown, as on the chat stream:

    * `event`: as a named event of its own (`approval.request` and its kin), unnumbered, and as an output item;
    * `chunk`: as the output item alone, for clients that parse every `data:` line as an event of the protocol;
    * `none`: not at all. The numbers are others then, so who asks for it must do so again to resume.

    Args:
        record: the response.
        dialect: how prompts are shown.
        after: the last number that the client has; -1 for none.
    """

    def __init__(self, record: ResponseRecord, dialect: Dialect, *, after: int = -1) -> None:
        self.done = False
        self._record = record
        self._dialect = dialect
        self._after = after
        self._next = 0
        # Merged deltas no longer give the frames that were sent: who saw some of those is told the end alone.
        self._end_alone = record.merged and after >= 0
        self._composition = composition_of(record, dialect)

    @property
    def sent(self) -> int:
        """How many numbered frames there are so far, those before `after` counted."""
        return self._next

    def opening(self) -> bytes:
        """That it was created and is under way; at once, however long it waits in its queue."""
        return self._frames(_OPENING)

    def catch_up(self, item: Recorded) -> None:
        """Never called: the past is replayed."""

    def caught_up(self) -> bytes:
        """Never called."""
        return b""

    def render(self, item: Recorded) -> bytes:
        """The frames of one event."""
        first = self._next
        steps = self._composition.add(item.event)
        self.done = self._composition.end is not None
        if not isinstance(item.event, e.TextAppended | e.ThoughtAppended) or self._after >= first:
            return self._frames(steps)
        # A piece of text makes the same bytes for all who watch.
        shape = f"response {self._dialect.value}"
        known = item.encoded.get(shape)
        if known is None:
            known = item.encoded[shape] = self._frames(steps)
        self._next = first + len(steps)
        return known

    def failed(self, error: PlacetError) -> bytes:
        """Why the stream cannot go on, though the response may. It repeats the last number: from there it can be resumed."""
        self.done = True
        told = error_object(error)
        record = {"type": "error", "code": told["code"], "message": told["message"], "param": told["param"]}
        return json_frame({**record, "sequence_number": max(self._next - 1, 0)}, event="error")

    def _frames(self, steps: tuple[Step, ...] | list[Step]) -> bytes:
        return b"".join(self._frame(name, data) for name, data in steps)

    def _frame(self, name: str, data: dict[str, Any]) -> bytes:
        number = self._next
        if not name.startswith("response."):
            shown = self._dialect is Dialect.EVENT and number > self._after and not self._end_alone
            return json_frame({"type": name, **data}, event=name) if shown else b""
        self._next += 1
        ends = name in _ENDS
        if self._end_alone:
            if not ends:
                return b""
            number = self._after + 1
        elif number <= self._after:
            return b""
        if ends or name in ("response.created", "response.in_progress"):
            data = {"response": self._snapshot(), **data}
        return json_frame({"type": name, "sequence_number": number, **data}, event=name)

    def _snapshot(self) -> dict[str, Any]:
        end = self._composition.end
        if end is None:
            return envelope(self._record, "in_progress", [])
        output = [in_last_frame(item) for item in self._composition.output]
        return envelope(self._record, end.status, output, end)


def composition_of(record: ResponseRecord, dialect: Dialect) -> Composition:
    """An empty composition of a response."""
    return Composition(
        record.run_id,
        record.admission.session_id,
        record.admission.principal,
        shows_prompts=dialect is not Dialect.NONE,
    )
