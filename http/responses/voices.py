"""The two kinds of item that grow piece by piece, the answer and the reasoning, and the steps of their growing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from placet.http.responses import items

if TYPE_CHECKING:
    from collections.abc import Callable

Step = tuple[str, dict[str, Any]]
"""One frame to be: the event's name, and what it carries beside that name and its number."""


@dataclass(frozen=True)
class Voice:
    """How one kind of item grows.

    Attributes:
        prefix: of its items' ids.
        item: makes the item of an id, its parts and its status.
        part: makes a part of its text.
        part_step: how the steps about the part are called, up to their last word.
        text_step: the same of the steps about the text.
        place: which part it is.
        extra: what the steps about the text carry for the sake of the protocol.
    """

    prefix: str
    item: Callable[[str, list[items.Item], str], items.Item]
    part: Callable[[str], items.Item]
    part_step: str
    text_step: str
    place: dict[str, int]
    extra: dict[str, Any]


ANSWER: Final = Voice(
    "msg",
    items.message,
    items.text_part,
    "response.content_part",
    "response.output_text",
    {"content_index": 0},
    {"logprobs": []},
)
THOUGHT: Final = Voice(
    "rs",
    items.reasoning,
    items.summary_part,
    "response.reasoning_summary_part",
    "response.reasoning_summary_text",
    {"summary_index": 0},
    {},
)


@dataclass
class Growing:
    """An item that is still growing.

    Attributes:
        voice: which kind it is.
        item_id: its id.
        index: its place in the output.
        pieces: its text so far.
    """

    voice: Voice
    item_id: str
    index: int
    pieces: list[str] = field(default_factory=list)

    @property
    def _place(self) -> dict[str, Any]:
        return {"item_id": self.item_id, "output_index": self.index, **self.voice.place}

    def begin(self) -> list[Step]:
        """The steps before its first piece."""
        empty = self.voice.item(self.item_id, [], "in_progress")
        return [
            ("response.output_item.added", {"output_index": self.index, "item": empty}),
            (f"{self.voice.part_step}.added", {**self._place, "part": self.voice.part("")}),
        ]

    def add(self, text: str) -> Step:
        """The step of one more piece."""
        self.pieces.append(text)
        return f"{self.voice.text_step}.delta", {**self._place, "delta": text, **self.voice.extra}

    def end(self, status: str) -> tuple[items.Item, list[Step]]:
        """The finished item, and the steps after its last piece."""
        text = "".join(self.pieces)
        part = self.voice.part(text)
        item = self.voice.item(self.item_id, [part], status)
        return item, [
            (f"{self.voice.text_step}.done", {**self._place, "text": text, **self.voice.extra}),
            (f"{self.voice.part_step}.done", {**self._place, "part": part}),
            ("response.output_item.done", {"output_index": self.index, "item": item}),
        ]
