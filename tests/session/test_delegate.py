"""An agent that runs other agents inside its turn."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.agents import Agent, BlockingTurn, Turn, load_agent, replayable
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.approvals import ApprovalStatus, Choice
from placet.actors.protocol.conversation import Usage
from placet.actors.protocol.errors import PlacetError, StartRefused
from placet.actors.protocol.limits import Limits
from placet.actors.protocol.records import AdmissionRecord, ApprovalRecord, JournalEntry
from placet.actors.session import Sessions
from placet.actors.session.child import DEPTH_MAX
from placet.actors.session.journal import Journal, ReplayDiverged
from placet.actors.store import Store
from tests.session.house import answer, open_house, settled, submission, watch_until


@replayable
async def asker(turn: Turn) -> str:
    decision = await turn.request_approval(command=f"rm {turn.input}", description="it deletes")
    return f"{turn.input}: {decision.choice}"


async def ended(store: Store, admission_id: str) -> AdmissionRecord:
    record = await store.admission(admission_id)
    assert record is not None
    assert record.result is not None
    return record


async def text_of(function: Any, **house: Any) -> str:
    """What a turn of that agent answers."""
    async with open_house(function, **house) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
        assert record.result is not None
        return record.result.text if record.result.error is None else str(record.result.error_code)


async def open_prompts(sessions: Sessions, admission_id: str) -> dict[str, ApprovalRecord]:
    """The open prompts by what they would run."""
    await wait_all_tasks_blocked()
    rows = await sessions.store.approvals_of(admission_id)
    return {row.prompt.command: row for row in rows if row.status is ApprovalStatus.OPEN}


async def say_yes(sessions: Sessions, row: ApprovalRecord) -> None:
    await answer(sessions, "s", row.prompt.admission_id, request_id=row.prompt.request_id)


async def test_what_a_child_says_is_given_to_its_parent_and_shown_as_progress(autojump_clock) -> None:
    async def child(turn: Turn) -> str:
        await turn.think("hm ")
        await turn.say(f"{turn.content.text} {turn.settings.model} {turn.history}, ")
        turn.count(Usage(2, 3))
        return "said"

    async def parent(turn: Turn) -> str:
        turn.count(Usage(10, 10))
        return f"[{await turn.delegate(child, 'dig')}]"

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        events = [item.event for item in await watch_until(admitted, e.AdmissionSettled)]
        record = await ended(sessions.store, admitted.admission_id)
    assert record.result is not None
    assert record.result.text == "[dig None (), said]"
    assert record.result.usage == Usage(12, 13)
    (started,) = (event for event in events if isinstance(event, e.ToolStarted))
    assert (started.tool, started.call_id) == ("delegate", "root/child#1")
    shown = [event for event in events if isinstance(event, e.ToolProgressed)]
    assert {event.call_id for event in shown} == {"root/child#1"}
    assert "".join(event.text for event in shown) == "hm dig None (), said"
    (done,) = (event for event in events if isinstance(event, e.ToolEnded))
    assert (done.result, done.failed) == ("dig None (), said", False)
    assert not any(isinstance(event, e.ThoughtAppended) for event in events)


async def test_children_side_by_side_each_ask_under_their_own_path(autojump_clock) -> None:
    async def parent(turn: Turn) -> str:
        said: dict[str, str] = {}

        async def run(text: str) -> None:
            said[text] = await turn.delegate(asker, text)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, "a")
            nursery.start_soon(run, "b")
        return ", ".join(said[text] for text in sorted(said))

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        prompts = await open_prompts(sessions, admitted.admission_id)
        assert {row.prompt.path for row in prompts.values()} == {"root/asker#1", "root/asker#2"}
        await say_yes(sessions, prompts["rm b"])
        left = await open_prompts(sessions, admitted.admission_id)
        await answer(
            sessions, "s", admitted.admission_id, Choice.DENY, request_id=left["rm a"].prompt.request_id
        )
        record = await settled(sessions, admitted)
    assert record.result is not None
    assert record.result.text == "a: deny, b: once"


async def test_the_turns_own_prompts_are_the_roots(autojump_clock) -> None:
    async with open_house(asker) as sessions:
        admitted = await sessions.ask("s", submission("x"))
        prompts = await open_prompts(sessions, admitted.admission_id)
    assert prompts["rm x"].prompt.path == "root"


async def test_a_stop_ends_all_children_and_closes_what_they_asked(autojump_clock) -> None:
    left: list[str] = []

    async def waits(turn: Turn) -> None:
        try:
            await turn.request_approval(command=turn.input, description="d")
        finally:
            left.append(turn.input)

    async def parent(turn: Turn) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(turn.delegate, waits, "a")
            nursery.start_soon(turn.delegate, waits, "b")

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        assert len(await open_prompts(sessions, admitted.admission_id)) == 2
        await sessions.ask("s", c.Stop(admission_id=admitted.admission_id, by="ann"))
        record = await settled(sessions, admitted)
        rows = await sessions.store.approvals_of(admitted.admission_id)
    assert record.outcome is e.Outcome.CANCELLED
    assert sorted(left) == ["a", "b"]
    assert [row.status for row in rows] == [ApprovalStatus.CANCELLED] * 2


async def test_a_child_that_fails_fails_its_call_and_its_parent_may_go_on(autojump_clock) -> None:
    async def breaks(turn: Turn) -> None:
        raise KeyError("secret")

    async def refuses(turn: Turn) -> None:
        raise PlacetError("not so", code="too_many_steps")

    async def parent(turn: Turn) -> str:
        for child in (breaks, refuses):
            with pytest.raises(PlacetError) as failed:
                await turn.delegate(child, "x")
            await turn.say(f"{failed.value.code}: {failed.value}; ")
        return "on"

    said = "agent_failed: The agent 'breaks' raised an error; the server's log tells more.; too_many_steps: not so; on"
    assert await text_of(parent) == said


async def test_an_agent_that_delegates_to_itself_comes_to_an_end(autojump_clock) -> None:
    depths: list[int] = []

    async def again(turn: Turn) -> str:
        depths.append(len(depths))
        return await turn.delegate(again, "deeper")

    assert await text_of(again) == "delegation_too_deep"
    assert len(depths) == 1 + DEPTH_MAX


async def test_a_turn_that_may_be_run_again_takes_no_child_that_may_not(autojump_clock) -> None:
    ran: list[str] = []

    async def opaque(turn: Turn) -> None:
        ran.append(turn.input)

    async def parent(turn: Turn) -> str:
        return await turn.delegate(opaque, "x")

    assert await text_of(parent, replayable=True) == "child_not_replayable"
    assert not ran


async def test_what_could_run_no_turn_is_refused(autojump_clock) -> None:
    async def parent(turn: Turn) -> None:
        with pytest.raises(StartRefused):
            await turn.delegate(lambda: "no turn", "x")  # type: ignore[arg-type,misc]

    assert await text_of(parent) == ""


async def test_a_loaded_agent_is_a_child_of_its_name(autojump_clock) -> None:
    async def parent(turn: Turn) -> str:
        return await turn.delegate(load_agent("demo"), "hello")

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        events = [item.event for item in await watch_until(admitted, e.AdmissionSettled)]
        record = await ended(sessions.store, admitted.admission_id)
    assert record.result is not None
    assert "hello" in record.result.text
    assert [event.call_id for event in events if isinstance(event, e.ToolStarted)] == ["root/demo#1"]


async def test_a_name_cannot_make_a_child_look_like_anothers_child(autojump_clock) -> None:
    async def child(turn: Turn) -> str:
        return "said"

    agent = Agent(name="a/b#1", function=child, blocking=False, replayable=False)

    async def parent(turn: Turn) -> str:
        return await turn.delegate(agent, "x") + await turn.delegate(agent, "y")

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        events = [item.event for item in await watch_until(admitted, e.AdmissionSettled)]
    started = [event.call_id for event in events if isinstance(event, e.ToolStarted)]
    assert started == ["root/a_b_1#1", "root/a_b_1#2"]


async def test_steering_is_for_the_agent_that_people_talk_to(autojump_clock) -> None:
    async def child(turn: Turn) -> str:
        await trio.sleep(5)
        return str(turn.take_steering())

    async def parent(turn: Turn) -> str:
        return f"{await turn.delegate(child, 'x')} {turn.take_steering()}"

    async with open_house(parent) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ToolStarted)
        await sessions.ask("s", c.Steer(admission_id=admitted.admission_id, text="left", by="ann"))
        record = await settled(sessions, admitted)
    assert record.result is not None
    assert record.result.text == "() ('left',)"


@pytest.mark.thread
async def test_plain_functions_delegate_and_are_delegated_to() -> None:
    def child(turn: BlockingTurn) -> str:
        with turn.tool("count", {}) as call:
            call.finish(len(turn.input))
        return f"{turn.input} {call.result}"

    def middle(turn: BlockingTurn) -> str:
        return turn.delegate(child, turn.input)

    async def parent(turn: Turn) -> str:
        return await turn.delegate(middle, "abc")

    assert await text_of(parent) == "abc 3"


@pytest.mark.thread
async def test_a_child_does_not_wait_for_a_thread_that_its_parent_holds() -> None:
    def child(turn: BlockingTurn) -> None: ...

    def middle(turn: BlockingTurn) -> str:
        return turn.delegate(child, "x")

    async def parent(turn: Turn) -> str:
        return await turn.delegate(middle, "x")

    assert await text_of(parent, limits=Limits(agent_threads=1)) == "no_thread_free"


async def test_after_a_crash_children_go_on_where_they_were(autojump_clock) -> None:
    """One had ended, two wait for a person, whichever begins first. What was done and said is not done or said again."""
    store = Store.inline()
    effects: list[str] = []
    order = ["a", "b"]

    @replayable
    async def worker(turn: Turn) -> str:
        async def effect() -> str:
            effects.append(turn.input)
            return turn.input

        await turn.say(f"begun {await turn.step('effect', effect)}; ")
        if turn.input == "done":
            return "done"
        decision = await turn.request_approval(command=turn.input, description="d")
        return f"{turn.input}: {decision.choice}"

    async def parent(turn: Turn) -> str:
        said = {"done": await turn.delegate(worker, "done")}

        async def run(text: str) -> None:
            said[text] = await turn.delegate(worker, text)

        async with trio.open_nursery() as nursery:
            for text in order:
                nursery.start_soon(run, text)
                await trio.sleep(1)
        return "|".join(said[text] for text in ("done", "a", "b"))

    async with open_house(parent, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await trio.sleep(5)
        before = await open_prompts(sessions, admitted.admission_id)
        assert {name: row.prompt.path for name, row in before.items()} == {
            "a": "root/worker#2",
            "b": "root/worker#3",
        }
    order.reverse()
    async with open_house(parent, store=store, replayable=True) as sessions:
        await sessions.recover()
        await trio.sleep(5)
        after = await open_prompts(sessions, admitted.admission_id)
        assert {row.prompt.request_id for row in after.values()} == {
            row.prompt.request_id for row in before.values()
        }
        for name, row in after.items():
            assert row.prompt.path == before[name].prompt.path
            await say_yes(sessions, row)
        await wait_all_tasks_blocked()
        record = await ended(store, admitted.admission_id)
    assert record.result is not None
    assert record.result.error is None
    assert record.result.text == "begun done; done|begun a; a: once|begun b; b: once"
    assert sorted(effects) == ["a", "b", "done"]
    recorded = [item.event for item in await store.events("s", after=0, limit=1000)]
    shown = "".join(event.text for event in recorded if isinstance(event, e.ToolProgressed))
    assert {name: shown.count(f"begun {name}; ") for name in ("a", "b", "done")} == {
        "a": 1,
        "b": 1,
        "done": 1,
    }


async def test_after_a_crash_a_child_that_had_failed_fails_in_the_same_way(autojump_clock) -> None:
    store = Store.inline()
    runs: list[int] = []

    @replayable
    async def breaks(turn: Turn) -> None:
        runs.append(1)
        await turn.request_approval(command="first", description="d")
        raise KeyError

    async def parent(turn: Turn) -> str:
        try:
            await turn.delegate(breaks, "x")
        except PlacetError as error:
            decision = await turn.request_approval(command="second", description=error.message)
            return f"{error.code}, {decision.choice}"
        return "no error"

    async with open_house(parent, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await say_yes(sessions, (await open_prompts(sessions, admitted.admission_id))["first"])
        assert "second" in await open_prompts(sessions, admitted.admission_id)
    async with open_house(parent, store=store, replayable=True) as sessions:
        await sessions.recover()
        await say_yes(sessions, (await open_prompts(sessions, admitted.admission_id))["second"])
        await wait_all_tasks_blocked()
        record = await ended(store, admitted.admission_id)
    assert record.result is not None
    assert record.result.text == "agent_failed, once"
    assert runs == [1]


async def test_a_child_that_goes_another_way_after_a_crash_fails_the_turn(autojump_clock) -> None:
    store = Store.inline()
    ways = ["rm x", "rm y"]

    @replayable
    async def wavers(turn: Turn) -> None:
        await turn.request_approval(command=ways.pop(0), description="d")

    async def parent(turn: Turn) -> None:
        await turn.delegate(wavers, "x")

    async with open_house(parent, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await open_prompts(sessions, admitted.admission_id)
    async with open_house(parent, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        record = await ended(store, admitted.admission_id)
    assert record.result is not None
    assert (record.outcome, record.result.error_code) == (e.Outcome.FAILED, "replay_diverged")


async def test_a_child_that_leaves_something_out_after_a_crash_stops_its_parent_there(autojump_clock) -> None:
    store = Store.inline()
    asks = [True, False]
    went_on: list[str] = []

    @replayable
    async def forgets(turn: Turn) -> None:
        if asks.pop(0):
            await turn.request_approval(command="x", description="d")

    async def parent(turn: Turn) -> None:
        await turn.delegate(forgets, "x")
        went_on.append("on")

    async with open_house(parent, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await open_prompts(sessions, admitted.admission_id)
    async with open_house(parent, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        record = await ended(store, admitted.admission_id)
    assert record.result is not None
    assert record.result.error_code == "replay_diverged"
    assert not went_on


def test_a_journal_keeps_the_steps_of_children_apart() -> None:
    first = Journal()
    step = first.within("root/a b#1").visit("step", "s", None)
    entry = JournalEntry(step=step, call_id=None, ended=True, result=1, failed=False)

    def again() -> Journal:
        return Journal([entry])

    assert again().visit("step", "s", None) != step
    assert again().within("root/a b#1").visit("step", "s", None) == step
    assert not again().within("root/a b#11").is_replaying
    again().within("root/a b#11").check_all_visited()
    left = again()
    with pytest.raises(ReplayDiverged, match="leaves out its step 's'"):
        left.check_all_visited()
    left.within("root/a b#1").skip()
    left.check_all_visited()
