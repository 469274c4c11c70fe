"""The reader of event streams: any stream, cut in any way, is the same events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.actors.agents.model.events import Events, EventTooLong

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=12)
NOISE = st.sampled_from([": a comment", "event: x", "id: 7", "retry: 5", "unknown", "datax: y", "data_: z"])
EVENTS = st.lists(st.tuples(st.lists(NOISE, max_size=2), st.lists(TEXTS, min_size=1, max_size=3)), max_size=5)


def fed(pieces: list[bytes]) -> list[str]:
    events = Events()
    return [event for piece in pieces for event in events.feed(piece)]


@given(EVENTS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans(), st.data())
def test_events_are_the_same_however_they_are_written(
    wanted: list[tuple[list[str], list[str]]], newline: str, bom: bool, spaced: bool, data: st.DataObject
) -> None:
    lines = [
        line
        for noise, texts in wanted
        for line in (*noise, *(f"data:{' ' if spaced or text[0] == ' ' else ''}{text}" for text in texts), "")
    ]
    stream = ("\ufeff" * bom + "".join(line + newline for line in lines)).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert fed(pieces) == ["\n".join(texts) for _, texts in wanted]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", ["a"]),
        (b"data:a\ndata:\ndata:b\n\n", ["a\n\nb"]),
        (b"data\ndata: x\n\n", ["\nx"]),
        (b"data:  two\n\n", [" two"]),
        (b"data:\n\ndata\n\n\n\n: only this\n\n", []),
        (b"data: the end never comes\n", []),
        (b"data: a\r\rdata: b\r\n\r\ndata: c\n\r", ["a", "b", "c"]),
        (b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        ("data: a\u2028b\x85\x0bc\n\n".encode(), ["a\u2028b\x85\x0bc"]),
    ],
)
def test_the_standards_corners(stream: bytes, events: list[str]) -> None:
    assert fed([stream]) == events
    assert fed([stream[at : at + 1] for at in range(len(stream))]) == events


@pytest.mark.parametrize("line", [b"data: ", b": ", b""])
def test_an_event_has_a_largest_size(line: bytes) -> None:
    events = Events(limit_bytes=20)
    events.feed(line + b"x" * (20 - len(line)))
    with pytest.raises(EventTooLong):
        events.feed(b"y")


def test_the_lines_of_an_event_count_together() -> None:
    events = Events(limit_bytes=20)
    events.feed(b"data:" + b"x" * 10 + b"\ndata:" + b"x" * 10 + b"\n")
    assert events.feed(b"\n") == ["x" * 10 + "\n" + "x" * 10]
    with pytest.raises(EventTooLong):
        events.feed(b"data:" + b"x" * 10 + b"\ndata:" + b"x" * 11 + b"\n")
