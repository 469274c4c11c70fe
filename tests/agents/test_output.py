"""Of a long output the head and the tail are kept, exactly as much as is said."""

from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from placet.actors.agents import output
from placet.actors.agents.output import KeptOutput, LiveOutput


@given(st.lists(st.binary(max_size=12)), st.integers(1, 20))
def test_nothing_is_lost_unsaid(pieces: list[bytes], keep: int) -> None:
    """However the output was cut into pieces, what is kept and what is counted as missing make up the whole."""
    whole = b"".join(pieces).hex().encode()
    kept = KeptOutput(keep)
    for piece in pieces:
        kept.add(piece.hex().encode())
    assert kept.cut_bytes == max(0, len(whole) - 2 * keep)
    if kept.cut_bytes:
        notice = f"[{kept.cut_bytes} bytes are cut here; the first and the last {keep} are kept]"
        assert kept.text() == f"{whole[:keep].decode()}\n{notice}\n{whole[-keep:].decode()}"
    else:
        assert kept.text() == whole.decode()


def test_a_character_that_the_cut_divides_is_left_out_whole() -> None:
    kept = KeptOutput(4)
    kept.add("aéé".encode() + b"x" * 10 + "€€".encode())
    assert kept.text().split("\n")[::2] == ["aé", "€"]


def test_a_character_across_head_and_tail_is_whole_if_nothing_is_cut() -> None:
    kept = KeptOutput(4)
    kept.add("abc€d".encode())
    assert kept.text() == "abc€d"


async def live(pieces: list[bytes], monkeypatch: pytest.MonkeyPatch, room: int) -> list[str]:
    monkeypatch.setattr(output, "LIVE_BYTES", room)
    seen: list[str] = []

    async def collect(text: str) -> None:
        await trio.lowlevel.checkpoint()
        seen.append(text)

    stream = LiveOutput(collect)
    for piece in pieces:
        await stream.add(piece)
    await stream.end()
    return seen


async def test_a_character_in_two_pieces_is_passed_on_once_it_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await live([b"a\xe2\x82", b"\xacb"], monkeypatch, 100) == ["a", "€b"]


async def test_a_character_that_never_ends_is_replaced_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await live([b"a\xe2\x82"], monkeypatch, 100) == ["a", "\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(
    "pieces", [[b"abcd", b"efgh", b"ijkl"], [b"abcdefgh", b"i"], [b"abc", b"defghijkl", b"m"]]
)
async def test_past_the_bound_one_sentence_is_passed_on_and_no_more(
    pieces: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = "".join(await live(pieces, monkeypatch, 8))
    assert seen == "abcdefgh\n[the output goes on; no more of it is shown while the command runs]\n"


async def test_up_to_the_bound_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await live([b"abcd", b"efgh"], monkeypatch, 8) == ["abcd", "efgh"]
