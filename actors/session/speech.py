"""What a turn has said, and what of it a replayed turn need not say again."""

from __future__ import annotations


class Speech:
    """The text of a turn's answer.

    After a crash the agent runs again and repeats itself. What is already recorded is not recorded again, as long as the agent
    says the same; from where it says something else, the answer starts over.

    Args:
        recorded: what the turn had said before the crash.
    """

    def __init__(self, recorded: str = "") -> None:
        self._recorded = recorded
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """All that was said since the answer last started over."""
        return "".join(self._parts)

    @property
    def heard(self) -> str:
        """What a watcher has of it: what was recorded before a crash, until the agent has said as much again."""
        return self._recorded if self._length < len(self._recorded) else self.text

    def say(self, text: str) -> tuple[str, bool]:
        """Take a piece of the answer.

        Returns:
            What of it is to be recorded, and whether the answer starts over with it.
        """
        text = whole(text)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        known = self._recorded[start : start + len(text)]
        if start >= len(self._recorded):
            return text, False
        if text.startswith(known) and (len(known) == len(text) or start + len(known) == len(self._recorded)):
            return text[len(known) :], False
        return self._start_over()

    def end(self) -> tuple[str, bool]:
        """The agent is done: if it said less than before the crash, the answer starts over. Returns as `say` does."""
        return self._start_over() if self._length < len(self._recorded) else ("", False)

    def _start_over(self) -> tuple[str, bool]:
        self._recorded = ""
        return self.text, True


def whole(text: str) -> str:
    """The text with each half of a broken surrogate pair replaced: it could be neither stored nor sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
