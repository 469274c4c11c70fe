"""One screen that follows a stream and asks what the stream asks: a state machine without a terminal and without a connection.

`on` takes what happened and says what is to be done. While a prompt is asked nothing else is shown; it comes afterwards, in order.
A prompt is asked until it is answered here, left open here, or has ended elsewhere, whichever comes first.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

from placet.actors.protocol.errors import PlacetError
from placet.http.cli.entry import END_OF_INPUT
from placet.http.cli.exits import Exit
from placet.http.cli.prompt import how_to_decide, show_prompt, summary
from placet.http.cli.question import LeftOpen, Outcome, Question
from placet.http.cli.questions import Questions
from placet.http.cli.text import Said, Tone, cut, one_line
from placet.http.cli.transcript import Transcript
from placet.http.client import Arrived, Prompt, Refused


class Keys(msgspec.Struct, frozen=True):
    """Something was typed, all that was typed at once."""

    text: str


class Interrupted(msgspec.Struct, frozen=True):
    """Ctrl-C."""


class Lost(msgspec.Struct, frozen=True):
    """The connection is gone and is being made again; `why` in a sentence."""

    why: str


class Back(msgspec.Struct, frozen=True):
    """There is a connection again."""


class Sent(msgspec.Struct, frozen=True):
    """An answer was taken; `error` if it was not."""

    prompt: Prompt
    error: PlacetError | None = None


Happening: TypeAlias = Arrived | Keys | Interrupted | Lost | Back | Sent


class Send(msgspec.Struct, frozen=True):
    """Send this answer, then tell by `Sent`."""

    prompt: Prompt
    outcome: Outcome


class Stop(msgspec.Struct, frozen=True):
    """Ask the server to stop the run."""


Effect: TypeAlias = Said | Send | Stop

ENDS: Final = {
    "run.completed": Exit.OK,
    "run.failed": Exit.NOT_COMPLETED,
    "run.cancelled": Exit.NOT_COMPLETED,
    "run.interrupted": Exit.NOT_COMPLETED,
    "run.unknown": Exit.NOT_COMPLETED,
}
"""How a run ends, by the event that says so, and what a command that followed it ends with."""

_ASKS: Final = {"approval.request", "clarify.request"}
_CLOSES: Final = {"approval.responded", "approval.settled", "clarify.settled"}
_ASK_AGAIN: Final = {"stale_generation", "stale_action", "invalid_answer", "invalid_choice", "not_reached"}
"""Refusals after which the prompt is still open and the same person may answer it."""


class Dialogue:
    """What one screen knows.

    Args:
        asks: whether there is someone at a terminal who can be asked.
        stops: whether what is followed is a run that Ctrl-C stops; else Ctrl-C leaves.

    Attributes:
        ended: how it ended, `None` while it goes on.
    """

    def __init__(self, *, asks: bool, stops: bool) -> None:
        self.ended: Exit | None = None
        self._asks = asks
        self._stops = stops
        self._transcript = Transcript()
        self._questions = Questions()
        self._question: Question | None = None
        self._sending = False
        self._held: list[Said] = []
        self._stopping = False
        self._lost = False

    def on(self, happening: Happening, now: float, width: int) -> list[Effect]:
        """What is to be done about it, in order.

        Args:
            happening: what happened.
            now: Unix seconds.
            width: of the screen, in cells.
        """
        return [*self._effects(happening, now, width), *self._ask_next(now, width)]

    def _effects(self, happening: Happening, now: float, width: int) -> list[Effect]:
        match happening:
            case Arrived():
                return self._arrived(happening, width)
            case Keys():
                return self._typed(happening.text, now)
            case Interrupted():
                return self._interrupted()
            case Lost() | Back():
                return self._connection(happening)
            case Sent():
                return self._sent(happening)

    def footer(self, now: float, width: int) -> str | None:
        """The last line of the screen, if there is to be one; arguments as for `on`."""
        if self._question is not None:
            if self._sending:
                return "  your answer is under way …"
            return self._question.footer(now, width, self._notes())
        if self._asks and self._questions.left and self.ended is None:
            leaves = ", Ctrl-D leaves and it goes on" if self._stops else ""
            return cut(f"  {self._questions.left} left open · r asks again{leaves}", width)
        return None

    def _notes(self) -> str:
        """What else there is to know while a prompt is asked."""
        more = self._questions.waiting - 1
        notes = (
            f"+{more}" if more else "",
            "no connection" if self._lost else "",
            "stopping" if self._stopping else "",
        )
        return "".join(f"  {note}" for note in notes if note)

    def _arrived(self, event: Arrived, width: int) -> list[Effect]:
        if event.name in _ASKS:
            prompt = msgspec.convert(event.data, Prompt)
            if prompt.status == "open":
                return self._opened(prompt, width)
        said = self._transcript.show(event.name, event.data)
        if event.name == "run.stopping" and self._stopping:
            said = []  # that was said as it was asked for
        if event.name in ENDS:
            self.ended = ENDS[event.name]
            return [*self._put_away(), *said]
        if event.name in _CLOSES:
            return self._closed(str(event.data.get("request_id")), said, width)
        if event.name == "approval.extended":
            self._extended(event.data)
        return self._show(said)

    def _extended(self, data: dict[str, Any]) -> None:
        request_id = str(data["request_id"])
        self._questions.extend(request_id, data["expires_at"])
        current, now = self._question, self._questions.get(request_id)
        if current is not None and now is not None and current.prompt.request_id == request_id:
            current.prompt = now

    def _opened(self, prompt: Prompt, width: int) -> list[Effect]:
        to_be_asked = self._questions.open(prompt)
        current = self._question
        if current is not None and current.prompt.request_id == prompt.request_id:
            if current.prompt.digest != prompt.digest:
                return self._put_away()  # it is asked anew, as it is now
            current.prompt = prompt
        if self._asks or not to_be_asked:
            return []
        return [
            *show_prompt(prompt, width, with_session=not self._stops),
            Said(how_to_decide(prompt), Tone.WARN, indent="  "),
        ]

    def _closed(self, request_id: str, said: list[Said], width: int) -> list[Effect]:
        prompt = self._questions.close(request_id)
        if self._question is not None and self._question.prompt.request_id == request_id:
            return [*said, *self._put_away()]
        if prompt is not None and said:
            said = [
                *said[:-1],
                msgspec.structs.replace(said[-1], text=f"{said[-1].text}  ({summary(prompt, width // 2)})"),
            ]
        return self._show(said)

    def _show(self, said: list[Said]) -> list[Effect]:
        if self._question is None:
            return [*said]
        self._held += said
        return []

    def _put_away(self) -> list[Effect]:
        """The question is no longer asked: what was held meanwhile is shown."""
        held, self._held = self._held, []
        self._question, self._sending = None, False
        return [*held]

    def _ask_next(self, now: float, width: int) -> list[Effect]:
        prompt = self._questions.next() if self._asks and self._question is None else None
        if prompt is None or self.ended is not None:
            return []
        self._question = Question(prompt, now)
        return [*show_prompt(prompt, width, with_session=not self._stops)]

    def _typed(self, text: str, now: float) -> list[Effect]:
        question = self._question
        if question is None:
            return self._typed_beside(text)
        outcome = None if self._sending else question.press(text, now)
        if outcome is None:
            return []
        if isinstance(outcome, LeftOpen):
            return self._leave(question.prompt)
        self._sending = True
        return [Send(question.prompt, outcome)]

    def _typed_beside(self, text: str) -> list[Effect]:
        if text == "r":
            self._questions.take_up()
        elif text == END_OF_INPUT:
            return self._go()
        return []

    def _leave(self, prompt: Prompt) -> list[Effect]:
        self._questions.leave(prompt.request_id)
        return [Said(how_to_decide(prompt), Tone.DIM, indent="  "), *self._put_away()]

    def _sent(self, sent: Sent) -> list[Effect]:
        if self._question is None or self._question.prompt.request_id != sent.prompt.request_id:
            return []  # that it has ended was seen on the stream before the answer to our own request
        if sent.error is None:
            return []  # the stream says so next, and what is held comes after that
        said = Said(f"  {refusal_text(sent.error)}", Tone.BAD)
        if sent.error.code in _ASK_AGAIN or (isinstance(sent.error, Refused) and sent.error.may_heal):
            return [said, *self._put_away()]
        self._questions.leave(sent.prompt.request_id)
        return [said, *self._put_away()]

    def _interrupted(self) -> list[Effect]:
        if not self._stops or self._stopping:
            return self._go()
        self._stopping = True
        return [*self._show([Said("Stopping. Ctrl-C again leaves.", Tone.WARN)]), Stop()]

    def _go(self) -> list[Effect]:
        self.ended = Exit.LEFT
        return self._put_away()

    def _connection(self, happening: Lost | Back) -> list[Effect]:
        if isinstance(happening, Back):
            self._lost = False
            return self._show([Said("Connected again.", Tone.DIM)])
        if self._lost:
            return []
        self._lost = True
        return self._show(
            [Said(f"The connection is lost; trying again. {one_line(happening.why, 200)}", Tone.WARN)]
        )


class _Won(msgspec.Struct, frozen=True):
    """The answer that was faster."""

    choice: str | None = None
    decided_by: str | None = None


def refusal_text(error: PlacetError) -> str:
    """Why an answer was not taken; if someone else was faster, who and how."""
    if "decision" in error.detail:
        won = msgspec.convert(error.detail["decision"], _Won)
        return one_line(f"Too late: {won.choice or 'answered'}, by {won.decided_by}.", 200)
    return one_line(error.message, 400)
