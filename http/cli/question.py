"""One prompt while it is asked in place: which key means what, and the line that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from placet.http.cli.entry import END_OF_INPUT, Entry, Typed
from placet.http.cli.text import cells, escaped
from placet.http.cli.times import countdown

if TYPE_CHECKING:
    from placet.http.client.records import Prompt

SETTLE_S: Final = 0.5
"""After a prompt has appeared keys do not count: whoever was typing meant something else."""

_KEYS: Final = {
    "o": ("once", "o once"),
    "s": ("session", "s session"),
    "a": ("always", "a always"),
    "r": ("retry", "r run it once more"),
    "f": ("failed", "f take it as failed"),
    "d": ("deny", "d deny"),
}
_LEAVE = "q leave open"


class Decision(msgspec.Struct, frozen=True):
    """A choice was made; `reason` goes with a no."""

    choice: str
    reason: str = ""


class Answer(msgspec.Struct, frozen=True):
    """A question was answered in words."""

    text: str


class LeftOpen(msgspec.Struct, frozen=True):
    """It is not answered here, for now."""


Outcome: TypeAlias = Decision | Answer | LeftOpen


class Question:
    """A prompt that is being asked.

    Args:
        prompt: what is asked.
        now: Unix seconds.
    """

    def __init__(self, prompt: Prompt, now: float) -> None:
        self.prompt = prompt
        self._counts_from = now + SETTLE_S
        self._entry = Entry() if prompt.is_question else None

    def press(self, keys: str, now: float) -> Outcome | None:
        """Take in what was typed at once; the outcome, if that makes one.

        A choice is one key alone: what comes in a bunch was pasted, or typed blindly.
        """
        if now < self._counts_from:
            return None
        if self._entry is not None:
            return self._type(self._entry, keys)
        if keys in ("q", END_OF_INPUT):
            return LeftOpen()
        choice = self._choices().get(keys)
        if choice == "deny":
            self._entry = Entry()
            return None
        return None if choice is None else Decision(choice)

    def footer(self, now: float, width: int, notes: str = "") -> str:
        """The line under the prompt, of at most `width` cells; `notes` stand at its end, if there is room."""
        if now < self._counts_from:
            return "  …"
        left = countdown(self.prompt.expires_at, now)
        if self._entry is not None:
            ask = "answer" if self.prompt.is_question else "why not (Enter for no reason)"
            return f"  {ask} › {_tail(escaped(self._entry.text), width - cells(ask) - 6)}"
        words = [_KEYS[key][1] for key in self._choices()]
        for offer in ("  ".join([*words, _LEAVE]), " ".join([*self._choices(), "q"])):
            line = f"  {offer}  · {left}{notes}"
            if cells(line) <= width:
                return line
        return f"  {' '.join([*self._choices(), 'q'])}"[:width]

    def _choices(self) -> dict[str, str]:
        return {key: word for key, (word, _) in _KEYS.items() if word in self.prompt.choices}

    def _type(self, entry: Entry, keys: str) -> Outcome | None:
        typed = entry.press(keys)
        if typed is Typed.GOES_ON:
            return None
        if self.prompt.is_question:
            return self._answered(entry.text) if typed is Typed.ENTERED else LeftOpen()
        if typed is Typed.ENTERED:
            return Decision("deny", entry.text.strip())
        self._entry = None
        return None

    def _answered(self, text: str) -> Outcome | None:
        """A number stands for the choice of that number, unless it is itself one of them."""
        choices = self.prompt.choices
        if not text.strip():
            return None
        if text not in choices and text.strip().isdecimal() and 0 < int(text) <= len(choices):
            return Answer(choices[int(text) - 1])
        return Answer(text)


def _tail(text: str, width: int) -> str:
    """The end of what is typed, where the next key goes."""
    while cells(text) > max(1, width):
        text = text[1:]
    return text
