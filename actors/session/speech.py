"""What a turn has said and thought, and what of it a replayed turn need not say again."""

from __future__ import annotations

import msgspec


class News(msgspec.Struct, frozen=True):
    """What is to be recorded of what an agent says.

    Attributes:
        text: of the answer.
        thought: of the reasoning; it stands before the text.
        restarted: whether answer and reasoning start over with these.
    """

    text: str = ""
    thought: str = ""
    restarted: bool = False


class Speech:
    """The text of a turn's answer, and its reasoning.

    After a crash the agent runs again and repeats itself. What is already recorded is not recorded again, as long as the agent
    says the same; from where it says something else, both start over. It says something else, too, where it goes on with the one
    and has not come to what it had recorded of the other.

    Args:
        text: what the turn had said before the crash.
        thoughts: what it had thought.
    """

    __slots__ = ("_answer", "_reasoning")

    def __init__(self, text: str = "", thoughts: str = "") -> None:
        self._answer = _Strand(text)
        self._reasoning = _Strand(thoughts)

    @property
    def text(self) -> str:
        """All that was said since the answer last started over."""
        return self._answer.text

    @property
    def heard(self) -> str:
        """What a watcher has of it: what was recorded before a crash, until the agent has said as much again."""
        return self._answer.recorded if self._answer.is_behind else self.text

    def say(self, text: str) -> News:
        """Take a piece of the answer."""
        new = self._answer.take(whole(text))
        if new is None or (new and self._reasoning.is_behind):
            return self._start_over()
        return News(text=new)

    def think(self, text: str) -> News:
        """Take a piece of the reasoning."""
        new = self._reasoning.take(whole(text))
        if new is None or (new and self._answer.is_behind):
            return self._start_over()
        return News(thought=new)

    def end(self) -> News:
        """The agent is done: if it said less than before the crash, the answer starts over."""
        return self._start_over() if self._answer.is_behind or self._reasoning.is_behind else News()

    def _start_over(self) -> News:
        self._answer.recorded = self._reasoning.recorded = ""
        return News(self.text, self._reasoning.text, restarted=True)


class _Strand:
    """One of the two: what was recorded of it before a crash, and what has been repeated."""

    __slots__ = ("_length", "_parts", "recorded")

    def __init__(self, recorded: str) -> None:
        self.recorded = recorded
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def is_behind(self) -> bool:
        return self._length < len(self.recorded)

    def take(self, text: str) -> str | None:
        """What of the piece is new; `None` if it is not what was recorded here."""
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        known = self.recorded[start : start + len(text)]
        return text[len(known) :] if text.startswith(known) else None


def whole(text: str) -> str:
    """The text with each half of a broken surrogate pair replaced: it could be neither stored nor sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
