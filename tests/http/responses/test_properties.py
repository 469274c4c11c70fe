"""What holds for any sequence of events, whether or not a session would ever record it."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import omit
from openai._models import construct_type
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ResponseStreamEvent

from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import Choice
from placet.actors.protocol.events import Outcome
from placet.http.dialect import Dialect
from tests.http.responses import frames
from tests.http.responses.frames import ENDS, RUN_ID, numbers, parsed, play, recorded
from tests.store.build import asked, decided

pytestmark = pytest.mark.slow

texts = st.text(max_size=8)
few = st.sampled_from(["x", "y"])
EVENTS: st.SearchStrategy[e.Event] = st.one_of(
    st.builds(frames.said, texts),
    st.builds(frames.thought, texts),
    st.builds(frames.restarted),
    st.builds(frames.started, few, texts, st.sampled_from(["terminal", "_own"])),
    st.builds(frames.ended, few, texts, failed=st.booleans()),
    st.builds(asked, few, st.just("a"), st.just(1)),
    st.builds(decided, few, st.just("a"), st.sampled_from([Choice.ONCE, Choice.DENY])),
    st.builds(frames.expired, few),
    st.builds(frames.asked_in_words),
    st.builds(frames.answered_in_words),
    st.builds(frames.resumed),
    st.builds(lambda: e.RunNamed(run_id="r", admission_id="a", surface="responses")),
)
ENDINGS: st.SearchStrategy[e.Event] = st.one_of(
    st.builds(frames.settled, st.sampled_from(Outcome), st.sampled_from([None, "word"]), texts),
    st.builds(frames.lost),
)
calm = settings(deadline=None, max_examples=60)
"""A busy machine is slow now and then; sixty of these sequences meet every pair of events many times."""

sequences = st.lists(EVENTS, max_size=20)
dialects = st.sampled_from(Dialect)


@calm
@given(sequences, ENDINGS, sequences, dialects)
def test_numbers_have_no_gap_and_the_last_frame_is_the_only_end(
    before: list[e.Event], ending: e.Event, after: list[e.Event], dialect: Dialect
) -> None:
    seen = parsed(play(recorded(*before, ending, *after), dialect))
    assert numbers(seen) == list(range(len(numbers(seen))))
    assert [frame.name in ENDS for frame in seen] == [False] * (len(seen) - 1) + [True]


@calm
@given(sequences, dialects)
def test_without_an_end_there_is_none(events: list[e.Event], dialect: Dialect) -> None:
    assert not any(frame.name in ENDS for frame in parsed(play(recorded(*events), dialect)))


@calm
@given(sequences, ENDINGS, dialects)
def test_a_replay_is_the_same_bytes(events: list[e.Event], ending: e.Event, dialect: Dialect) -> None:
    items = recorded(*events, ending)
    first = play(items, dialect)
    assert play(items, dialect) == first
    assert play(recorded(*events, ending), dialect) == first


@calm
@given(sequences, ENDINGS, dialects, st.integers(-1, 200))
def test_a_resumed_stream_is_the_rest_of_the_whole_one(
    events: list[e.Event], ending: e.Event, dialect: Dialect, after: int
) -> None:
    items = recorded(*events, ending)
    whole, rest = (parsed(play(items, dialect, after=place)) for place in (-1, after))
    assert rest == whole[len(whole) - len(rest) :]
    assert numbers(rest) == [number for number in numbers(whole) if number > after]


@calm
@given(sequences, ENDINGS)
def test_what_is_numbered_does_not_depend_on_how_prompts_are_named(
    events: list[e.Event], ending: e.Event
) -> None:
    items = recorded(*events, ending)
    named = [frame for frame in parsed(play(items)) if "sequence_number" in frame.json]
    assert named == parsed(play(items, Dialect.CHUNK))


@calm
@given(sequences, ENDINGS, dialects)
def test_the_official_accumulator_takes_it_and_agrees(
    events: list[e.Event], ending: e.Event, dialect: Dialect
) -> None:
    state: ResponseStreamState[Any] = ResponseStreamState(input_tools=omit, text_format=omit)
    seen = parsed(play(recorded(*events, ending), dialect))
    for frame in seen:
        state.handle_event(construct_type(type_=cast("Any", ResponseStreamEvent), value=frame.json))
    response = seen[-1].json["response"]
    assert response["id"] == RUN_ID
    if response["status"] == "completed":
        assert state._completed_response is not None
        texts = [item["content"][0]["text"] for item in response["output"] if item["type"] == "message"]
        assert state._completed_response.output_text == "".join(texts)


@calm
@given(sequences, ENDINGS)
def test_every_item_that_begins_is_finished_once(events: list[e.Event], ending: e.Event) -> None:
    seen = parsed(play(recorded(*events, ending)))
    added, done = (
        [(frame.json["output_index"], frame.json["item"]["id"]) for frame in seen if frame.name == name]
        for name in ("response.output_item.added", "response.output_item.done")
    )
    assert sorted(added) == sorted(done) == sorted(set(done))
    assert [index for index, _ in added] == list(range(len(added)))


@pytest.mark.parametrize("dialect", Dialect)
def test_all_of_it_is_ascii_on_one_line(dialect: Dialect) -> None:
    sent = play(recorded(frames.said("\u2028 \x85 ä\r\n"), frames.settled()), dialect)
    assert sent.isascii()
    assert b"\r" not in sent
