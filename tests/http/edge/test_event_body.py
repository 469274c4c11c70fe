"""A body of events: what it says first, and its signs of life."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from placet.http.follow import Over
from placet.http.sse import EventBody

if TYPE_CHECKING:
    from trio.testing import MockClock

    from placet.actors.protocol.errors import PlacetError


class Says:
    """A renderer that opens with this and has no more."""

    done = True

    def __init__(self, opening: bytes) -> None:
        self._opening = opening

    def opening(self) -> bytes:
        return self._opening

    def catch_up(self, item: object) -> None:
        raise AssertionError

    def caught_up(self) -> bytes:
        raise AssertionError

    def render(self, item: object) -> bytes:
        raise AssertionError

    def failed(self, error: PlacetError) -> bytes:
        raise AssertionError


@pytest.mark.parametrize(
    "opening", [b"event: x\ndata: {}\n\n", b""], ids=["something-to-say", "nothing-to-say"]
)
async def test_its_first_piece_is_what_there_is_to_say_or_a_comment(opening: bytes) -> None:
    async with EventBody[object](Says(opening), None, 10) as body:
        pieces = [piece async for piece in body]
    assert len(pieces) == 1
    assert pieces[0] == opening if opening else pieces[0].startswith(b":")
    assert pieces[0].endswith(b"\n\n")


class Hears:
    """A source of what a test says; ends when it is told to."""

    is_behind = False

    def __init__(self) -> None:
        self.send, self._receive = trio.open_memory_channel[bytes](10)

    async def receive(self) -> list[bytes]:
        try:
            return [await self._receive.receive()]
        except trio.EndOfChannel:
            raise Over from None

    async def past(self) -> list[bytes]:
        raise AssertionError

    def close(self) -> None:
        self._receive.close()


class Repeats(Says):
    """A renderer that shows what it is given as it is, and does not end by itself."""

    def __init__(self) -> None:
        super().__init__(b": open\n\n")
        self.done = False

    def render(self, item: object) -> bytes:
        assert isinstance(item, bytes)
        return item


async def test_silence_is_counted_from_the_last_write_and_every_write_is_said_once(
    autojump_clock: MockClock,
) -> None:
    source, said = Hears(), []

    async def write(data: bytes) -> None:
        said.append((round(trio.current_time() - begun), data))
        await trio.lowlevel.checkpoint()  # as a server that lets others run

    async def talk() -> None:
        for pause_s, data in ((4, b"a"), (9, b"b"), (25, b""), (3, b"c")):
            await trio.sleep(pause_s)
            await source.send.send(data)
        source.send.close()

    begun = trio.current_time()
    async with EventBody(Repeats(), source, 10) as body, trio.open_nursery() as nursery:
        nursery.start_soon(talk)
        await body.speak(write)
    alive = b": keepalive\n\n"
    assert said == [
        (0, b": open\n\n"),
        (4, b"a"),
        (13, b"b"),
        (23, alive),
        (33, alive),
        (41, b"c"),
    ]


async def test_a_write_that_outlasts_the_heartbeat_is_neither_cut_nor_followed_by_a_comment(
    autojump_clock: MockClock,
) -> None:
    source, said = Hears(), []

    async def write(data: bytes) -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(15)
        said.append(data)

    for data in (b"a", b"b"):
        await source.send.send(data)
    source.send.close()
    async with EventBody(Repeats(), source, 10) as body:
        await body.speak(write)
    assert said == [b": open\n\n", b"a", b"b"]
