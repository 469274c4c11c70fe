"""The small parts of a turn, each alone: outbox, speech, journal, stopwatch, room."""

from __future__ import annotations

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from placet.actors.protocol.errors import PlacetError, StoreUnavailable
from placet.actors.protocol.events import (
    Output,
    StepEnded,
    TextAppended,
    ThoughtAppended,
    ToolProgressed,
)
from placet.actors.protocol.records import JournalEntry
from placet.actors.session.journal import Journal, ReplayDiverged, checked_result
from placet.actors.session.outbox import Outbox
from placet.actors.session.room import Room
from placet.actors.session.speech import News, Speech
from placet.actors.session.stopwatch import Stopwatch

EVENT_BYTES = 8192


def text(words: str) -> TextAppended:
    return TextAppended(admission_id="a", generation=1, text=words)


def progress(call_id: str, words: str) -> ToolProgressed:
    return ToolProgressed(admission_id="a", generation=1, call_id=call_id, text=words)


class Disk:
    """Takes batches, one at a time, when it is let."""

    def __init__(self) -> None:
        self.batches: list[tuple[Output, ...]] = []
        self.error: PlacetError | None = None
        self.gate = trio.Event()
        self.at_once = 0

    async def record(self, batch: tuple[Output, ...]) -> None:
        self.at_once += 1
        assert self.at_once == 1, "one recording at a time"
        await self.gate.wait()
        self.at_once -= 1
        if self.error is not None:
            raise self.error
        self.batches.append(batch)


async def test_what_arrives_while_the_disk_is_slow_becomes_one_event(nursery) -> None:
    disk = Disk()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    for word in ("a", "b", "c", "d"):
        await outbox.add(text(word))
        await wait_all_tasks_blocked()
    disk.gate.set()
    await outbox.flush()
    assert disk.batches == [(text("a"),), (text("bcd"),)]


async def test_only_neighbours_of_one_kind_and_one_call_are_joined(nursery) -> None:
    disk = Disk()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    thought = ThoughtAppended(admission_id="a", generation=1, text="t")
    step = StepEnded(admission_id="a", generation=1, step="s", result=1)
    for output in (
        text("a"),
        text("b"),
        thought,
        thought,
        progress("1", "x"),
        progress("2", "y"),
        step,
        text("c"),
    ):
        await outbox.add(output)
    disk.gate.set()
    await outbox.flush()
    (batch,) = disk.batches
    assert batch == (
        text("ab"),
        ThoughtAppended(admission_id="a", generation=1, text="tt"),
        progress("1", "x"),
        progress("2", "y"),
        step,
        text("c"),
    )


async def test_an_agent_that_says_more_than_an_event_holds_waits_for_the_disk(nursery) -> None:
    disk = Disk()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    added: list[int] = []

    async def talk() -> None:
        for number in range(10):
            await outbox.add(text("x" * 1000))
            added.append(number)

    nursery.start_soon(talk)
    await wait_all_tasks_blocked()
    assert len(added) < 10
    disk.gate.set()
    await wait_all_tasks_blocked()
    assert len(added) == 10


@given(words=st.lists(st.text(max_size=3000), max_size=10))
async def test_no_event_is_too_large_for_the_log_and_nothing_is_lost(words: list[str]) -> None:
    disk = Disk()
    disk.gate.set()
    async with trio.open_nursery() as nursery:
        outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
        for word in words:
            await outbox.add(text(word))
        await outbox.flush()
        nursery.cancel_scope.cancel()
    events = [event for batch in disk.batches for event in batch]
    assert "".join(event.text for event in events) == "".join(words)  # type: ignore[union-attr]
    assert all(len(msgspec.json.encode(event)) <= EVENT_BYTES for event in events)


async def test_after_the_disk_refused_nothing_more_is_taken(nursery) -> None:
    disk = Disk()
    disk.error = StoreUnavailable("full")
    disk.gate.set()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    await outbox.add(text("a"))
    with pytest.raises(StoreUnavailable):
        await outbox.flush()
    with pytest.raises(StoreUnavailable):
        await outbox.add(text("b"))


async def test_there_is_no_task_while_there_is_nothing_to_record(nursery) -> None:
    disk = Disk()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    before = len(nursery.child_tasks)
    for word in ("a", "b"):
        await outbox.add(text(word))
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == before + 1
        disk.gate.set()
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == before
        disk.gate = trio.Event()
    assert disk.batches == [(text("a"),), (text("b"),)]


async def test_what_is_taken_back_is_recorded_with_something_else(nursery) -> None:
    disk = Disk()
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    await outbox.add(text("a"))
    await wait_all_tasks_blocked()
    for word in ("b", "c"):
        await outbox.add(text(word))
    taken: list[tuple[Output, ...]] = []

    async def take_back() -> None:
        taken.append(await outbox.take_back())

    nursery.start_soon(take_back)
    await wait_all_tasks_blocked()
    assert taken == []  # not before what is under way has arrived
    disk.gate.set()
    await wait_all_tasks_blocked()
    assert (taken, disk.batches) == ([(text("bc"),)], [(text("a"),)])
    assert await outbox.take_back() == ()


async def test_nothing_is_taken_back_behind_what_was_refused(nursery) -> None:
    disk = Disk()
    disk.error = StoreUnavailable("full")
    outbox = Outbox(nursery.start_soon, disk.record, EVENT_BYTES)
    await outbox.add(text("a"))
    await wait_all_tasks_blocked()
    await outbox.add(text("b"))
    disk.gate.set()
    with pytest.raises(StoreUnavailable):
        await outbox.take_back()


@given(parts=st.lists(st.text(max_size=5), max_size=8), cut=st.integers(0, 40))
def test_a_replayed_speech_says_again_only_what_was_not_recorded(parts: list[str], cut: int) -> None:
    whole = "".join(parts)
    recorded = whole[:cut]
    speech = Speech(recorded)
    said = recorded
    for part in parts:
        news = speech.say(part)
        assert not news.restarted
        said += news.text
    assert speech.end() == News()
    assert said == speech.text == whole


@given(recorded=st.text(min_size=1, max_size=8), parts=st.lists(st.text(max_size=5), max_size=5))
def test_a_speech_that_turns_out_different_starts_over_and_is_whole(recorded: str, parts: list[str]) -> None:
    speech = Speech(recorded)
    shown = recorded
    for news in [*(speech.say(part) for part in parts), speech.end()]:
        shown = news.text if news.restarted else shown + news.text
    assert shown == "".join(parts)


said_or_thought = st.lists(st.tuples(st.sampled_from(["say", "think"]), st.text(max_size=4)), max_size=8)


@given(before=said_or_thought, after=said_or_thought)
def test_answer_and_reasoning_are_shown_whole_and_once_whatever_the_agent_repeats(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    shown = {kind: "".join(text for each, text in before if each == kind) for kind in ("say", "think")}
    speech = Speech(shown["say"], shown["think"])
    for news in [*(getattr(speech, kind)(text) for kind, text in after), speech.end()]:
        if news.restarted:
            shown = {"say": "", "think": ""}
        shown["say"] += news.text
        shown["think"] += news.thought
    for kind in shown:
        assert shown[kind] == "".join(text for each, text in after if each == kind)


def test_reasoning_that_is_not_repeated_does_not_stand_beside_another_answer() -> None:
    """A model call that was cut while the model thought is made again, and this time it answers at once."""
    speech = Speech("one ", "hm, ")
    assert speech.say("one ") == News()
    assert speech.say("two") == News("one two", restarted=True)
    assert speech.think("so") == News(thought="so")


def test_half_of_a_surrogate_pair_is_replaced_before_it_can_break_a_write() -> None:
    speech = Speech()
    new = speech.say("cut \ud83d and \ude00").text
    new.encode()
    assert new == "cut \ufffd and \ufffd"


def test_a_journal_knows_a_step_by_what_it_is_and_which_one_of_these() -> None:
    first = Journal()
    steps = [
        first.visit("tool", "terminal", {"command": "a"}),
        first.visit("tool", "terminal", {"command": "a"}),
        first.visit("tool", "terminal", {"command": "b"}),
        first.visit("step", "terminal", {"command": "a"}),
        first.visit("tool", "terminal", {"command": "c"}, call_id="call_1"),
    ]
    assert len(set(steps)) == len(steps)
    again = Journal(
        [JournalEntry(step=s, call_id=None, ended=True, result=n, failed=False) for n, s in enumerate(steps)]
    )
    shuffled = [
        again.visit("tool", "terminal", {"command": "b"}),
        again.visit("tool", "terminal", {"command": "x"}, call_id="call_1"),
        again.visit("tool", "terminal", {"command": "a"}),
        again.visit("step", "terminal", {"command": "a"}),
        again.visit("tool", "terminal", {"command": "a"}),
    ]
    assert [again.find(step).result for step in shuffled] == [2, 4, 0, 3, 1]  # type: ignore[union-attr]
    again.check_all_visited()


def test_a_journal_refuses_another_story() -> None:
    before = Journal().visit("tool", "terminal", {"command": "a"})
    entry = JournalEntry(step=before, call_id=None, ended=True, result=0, failed=False)
    with pytest.raises(ReplayDiverged):
        Journal([entry]).visit("tool", "terminal", {"command": "b"})
    Journal([entry]).visit(
        "tool", "terminal:b", {"command": "b"}
    )  # another name is another tool, not another story
    with pytest.raises(ReplayDiverged):
        Journal([entry]).check_all_visited()


def test_a_result_must_be_json_and_within_its_limit() -> None:
    assert checked_result({"a": (1, 2)}, 100) == {"a": [1, 2]}
    assert checked_result("x" * 98, 100) == "x" * 98
    with pytest.raises(PlacetError) as large:
        checked_result("x" * 99, 100)
    assert large.value.code == "result_too_large"
    with pytest.raises(PlacetError) as odd:
        checked_result(object(), 100)
    assert odd.value.code == "invalid_result"


async def test_a_stopwatch_counts_work_and_not_waiting(autojump_clock) -> None:
    with trio.CancelScope() as scope:
        stopwatch = Stopwatch(scope, 10)
        await trio.sleep(4)
        with stopwatch.paused():
            await trio.sleep(100)
            with stopwatch.paused():
                await trio.sleep(100)
            await trio.sleep(100)
        start = trio.current_time()
        await trio.sleep_forever()
    assert scope.cancelled_caught
    assert trio.current_time() - start == pytest.approx(6)


def test_a_room_gives_places_up_to_its_limit_and_calls_the_first_who_waits() -> None:
    room = Room(turns=2, threads=1)
    called: list[str] = []
    first, second = room.take(), room.take()
    assert first is not None
    assert second is not None
    assert room.take() is None
    room.when_free("a", lambda: called.append("a"))
    room.when_free("a", lambda: called.append("twice"))
    room.when_free("b", lambda: called.append("b"))
    first.pause()
    assert called == ["a"]
    first.resume()
    assert room.running == 2
    second.give()
    second.give()
    assert called == ["a", "b"]
    assert room.running == 1
    first.give()
    assert (room.running, room.living) == (0, 0)


def test_a_room_counts_threads_also_while_they_wait_for_a_person() -> None:
    room = Room(turns=10, threads=1, blocking=True)
    place = room.take()
    assert place is not None
    place.pause()
    assert room.running == 0
    assert not room.has_place
    place.give()
    assert room.has_place


def test_a_thread_that_is_left_behind_keeps_its_place_from_the_next_turn_until_it_ends() -> None:
    room = Room(turns=10, threads=1, blocking=True)
    place, called = room.take(), list[str]()
    assert place is not None
    thread_ended = place.lend_thread()
    place.give()
    assert room.running == 0
    assert not room.has_place
    room.when_free("next", lambda: called.append("next"))
    thread_ended()
    assert called == ["next"]
    assert room.living == 0
