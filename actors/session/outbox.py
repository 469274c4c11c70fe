"""What a turn has done and not yet recorded, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.events import Output, TextAppended, ThoughtAppended, ToolProgressed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

_Text = TextAppended | ThoughtAppended | ToolProgressed
_BYTES_A_CHARACTER = 6  # the most that a character needs in JSON: a control character as \\u0000
_ENVELOPE_BYTES = 1024  # what an event holds besides its text

YIELD_EVERY = 16
"""Outputs between two checkpoints. A pass of trio's loop costs more than an output; sixteen hold it up for half a millisecond."""


class Outbox:
    """Records a turn's outputs one batch at a time. What arrives meanwhile is the next batch, its neighbouring texts joined.

    So a slow disk makes larger events, not a longer queue. The order in which outputs are added is the order of the log.

    The task that records is there while there is something to record: a turn that waits for its model or for a person holds none.

    Args:
        start_soon: starts a task that goes on when the turn is stopped: what it had said is still recorded.
        record: writes a batch; called by one task at a time.
        event_bytes: the most that one text event may hold, and how much may wait before `add` waits too.
    """

    __slots__ = (
        "_added",
        "_characters",
        "_error",
        "_is_recording",
        "_moved",
        "_pending",
        "_record",
        "_recorded",
        "_size",
        "_start_soon",
    )

    def __init__(
        self,
        start_soon: Callable[[Callable[[], Awaitable[None]]], None],
        record: Callable[[tuple[Output, ...]], Awaitable[None]],
        event_bytes: int,
    ) -> None:
        self._start_soon = start_soon
        self._record = record
        self._characters = max(1, (event_bytes - _ENVELOPE_BYTES) // _BYTES_A_CHARACTER)
        self._pending: list[Output] = []
        self._size = 0
        self._added = 0
        self._recorded = 0
        self._is_recording = False
        self._moved = trio.lowlevel.ParkingLot()
        self._error: PlacetError | None = None

    async def add(self, output: Output) -> None:
        """Take an output to record soon. A checkpoint now and then; waits while more than an event's worth is unrecorded.

        Raises:
            PlacetError: what an earlier recording raised. Nothing can be recorded after it.

        Cancelled, the output is still recorded.
        """
        self._check()
        self.put(output)
        if self._added % YIELD_EVERY == 0:
            await trio.lowlevel.checkpoint()
        while self._size > self._characters:
            await self._moved.park()
            self._check()

    def put(self, output: Output) -> None:
        """Take an output to record soon, without waiting: for what is small and rare."""
        self._pending.append(output)
        self._added += 1
        self._size += len(output.text) if isinstance(output, _Text) else 0
        if not self._is_recording:
            self._is_recording = True
            self._start_soon(self._run)

    async def flush(self) -> None:
        """Wait until all that was added before is on disk. A checkpoint only if it waits.

        Raises:
            PlacetError: what the recording raised.
        """
        goal = self._added
        while self._recorded < goal:
            self._check()
            await self._moved.park()
        self._check()

    async def take_back(self) -> tuple[Output, ...]:
        """Take back what is not being recorded yet, to record it together with something else. A checkpoint only if it waits.

        Raises:
            PlacetError: what the recording raised.
        """
        batch = self._take()
        while self._is_recording:
            await self._moved.park()
        self._check()
        return batch

    async def _run(self) -> None:
        """Record what was added, until nothing is left or the recording fails."""
        try:
            while self._pending and self._error is None:  # noqa: ASYNC913 - recording waits for the actor
                await self._record_batch()
        finally:
            self._is_recording = False
            self._moved.unpark_all()

    async def _record_batch(self) -> None:
        batch, count = self._take(), self._added
        try:
            await self._record(batch)
            self._recorded = count
        except PlacetError as error:
            self._error = error
        finally:
            self._moved.unpark_all()

    def _take(self) -> tuple[Output, ...]:
        batch, self._pending, self._size = self._pending, [], 0
        return tuple(_joined(batch, self._characters))

    def _check(self) -> None:
        if self._error is not None:
            raise self._error


def _joined(outputs: list[Output], characters: int) -> Iterator[Output]:
    """The outputs with neighbouring texts of one kind joined, none longer than `characters`."""
    texts: list[_Text] = []
    for output in outputs:
        if isinstance(output, _Text):
            if texts and replace(texts[0], text="") != replace(output, text=""):
                yield from _pieces(texts, characters)
                texts = []
            texts.append(output)
        else:
            yield from _pieces(texts, characters)
            texts = []
            yield output
    yield from _pieces(texts, characters)


def _pieces(texts: list[_Text], characters: int) -> Iterator[Output]:
    whole = "".join(item.text for item in texts)
    for start in range(0, len(whole), characters):
        yield replace(texts[0], text=whole[start : start + characters])
