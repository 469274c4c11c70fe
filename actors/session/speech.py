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
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        known = self._recorded[start : start + len(text)]
        if start >= len(self._recorded):
            return text, False
        if text.startswith(known) and (len(known) == len(text) or start + len(known) == len(self._recorded)):
            return text[len(known) :], False
        self._recorded = ""
        return self.text, True
