"""A body of events gives the server something to send at once: the response's head waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from placet.http.sse import EventBody

if TYPE_CHECKING:
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
