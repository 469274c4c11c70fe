"""The prompts that are open on one screen, in the order in which they appeared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from placet.http.client.records import Prompt


class Questions:
    """Which prompts wait, and which of them were left open here."""

    def __init__(self) -> None:
        self._waiting: dict[str, Prompt] = {}
        self._left: dict[str, Prompt] = {}

    @property
    def left(self) -> int:
        """How many were left open."""
        return len(self._left)

    @property
    def waiting(self) -> int:
        """How many are to be asked."""
        return len(self._waiting)

    def open(self, prompt: Prompt) -> bool:
        """A prompt was shown, perhaps again under a new generation; whether it is to be asked here."""
        if prompt.request_id in self._left:
            self._left[prompt.request_id] = prompt
            return False
        self._waiting[prompt.request_id] = prompt
        return True

    def close(self, request_id: str) -> Prompt | None:
        """A prompt has ended, here or elsewhere; `None` if it was not known to wait."""
        return self._waiting.pop(request_id, None) or self._left.pop(request_id, None)

    def extend(self, request_id: str, expires_at: float) -> None:
        """A prompt waits until `expires_at`, in Unix seconds."""
        for prompts in (self._waiting, self._left):
            if request_id in prompts:
                prompts[request_id] = replace(prompts[request_id], expires_at=expires_at)

    def get(self, request_id: str) -> Prompt | None:
        """A prompt that is to be asked, as it stands now."""
        return self._waiting.get(request_id)

    def next(self) -> Prompt | None:
        """The one that is to be asked first."""
        return next(iter(self._waiting.values()), None)

    def leave(self, request_id: str) -> None:
        """Do not ask this one again by itself."""
        prompt = self._waiting.pop(request_id, None)
        if prompt is not None:
            self._left[request_id] = prompt

    def take_up(self) -> None:
        """Ask again what was left open."""
        self._waiting |= self._left
        self._left.clear()
