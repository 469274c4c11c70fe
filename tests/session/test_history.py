"""What a turn leaves in its session's conversation, over a crash too, and that what it said and thought counts once."""

from __future__ import annotations

import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.agents import Turn
from placet.actors.protocol import commands as c
from placet.actors.protocol import events as e
from placet.actors.protocol.conversation import ChatMessage, Part
from placet.actors.store import Store
from tests.session.house import answer, open_house, settled, submission, watch_until
from tests.store.build import said_so_far


def message(role: str, text: str) -> ChatMessage:
    return ChatMessage(role, (Part("text", text),))  # type: ignore[arg-type]


async def keeps(turn: Turn) -> str:
    """Says, keeps, asks, keeps and says again."""
    await turn.think("hm ")
    await turn.say("Looking.")
    await turn.keep(message("assistant", "Looking."))
    await turn.keep(message("tool", "here"))
    decision = await turn.request_approval(command="rm x", description="d")
    await turn.keep(message("tool", "there"))
    return f"\n\nDone: {decision.choice}"


KEPT = [
    ("user", "hi"),
    ("assistant", "Looking."),
    ("tool", "here"),
    ("tool", "there"),
    ("assistant", "Done: once"),
]


async def conversation(store: Store) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in await store.transcript("s")]


async def test_what_is_kept_stands_in_order_and_the_last_message_says_the_rest(autojump_clock) -> None:
    async with open_house(keeps) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
        await answer(sessions, "s", admitted.admission_id)
        record = await settled(sessions, admitted)
        assert record.result is not None
        assert record.result.text == "Looking.\n\nDone: once", "the run's output is whole"
        assert await conversation(sessions.store) == KEPT


async def test_after_a_crash_nothing_is_kept_or_thought_twice(autojump_clock) -> None:
    store = Store.inline()
    async with open_house(keeps, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
    async with open_house(keeps, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        await answer(sessions, "s", admitted.admission_id)
        await wait_all_tasks_blocked()
    assert await conversation(store) == KEPT
    assert await said_so_far(store, admitted.admission_id) == ("Looking.\n\nDone: once", "hm ")


async def test_a_turn_that_is_stopped_while_it_repeats_itself_says_nothing_twice(autojump_clock) -> None:
    store, repeats = Store.inline(), False

    async def slow(turn: Turn) -> None:
        if repeats:
            await trio.sleep_forever()
        await turn.say("Looking.")
        await turn.keep(message("assistant", "Looking."))
        await turn.say("\n\nThere")
        await turn.request_approval(command="rm x", description="d")

    async with open_house(slow, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ApprovalOpened)
    repeats = True
    async with open_house(slow, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
        await sessions.ask("s", c.Stop(admission_id=admitted.admission_id, by="ann"))
        await wait_all_tasks_blocked()
    assert [text.partition("\n")[0] for _, text in await conversation(store)] == ["hi", "Looking.", "There"]


async def test_reasoning_that_comes_otherwise_after_a_crash_starts_the_answer_over(autojump_clock) -> None:
    store, thoughts = Store.inline(), ["a dark ", "a bright "]

    async def thinks(turn: Turn) -> str:
        await turn.say("One. ")
        await turn.think(thoughts.pop(0))
        if thoughts:
            await trio.sleep_forever()
        return "Two."

    async with open_house(thinks, store=store, replayable=True) as sessions:
        admitted = await sessions.ask("s", submission())
        await watch_until(admitted, e.ThoughtAppended)
    async with open_house(thinks, store=store, replayable=True) as sessions:
        await sessions.recover()
        await wait_all_tasks_blocked()
    told = [item.event for item in await store.events("s", after=0, limit=100)]
    after = told[next(n for n, event in enumerate(told) if isinstance(event, e.AnswerRestarted)) + 1 :]
    assert isinstance(after[0], e.ThoughtAppended), "reasoning and text are told again, in this order"
    assert await said_so_far(store, admitted.admission_id) == ("One. Two.", "a bright ")


async def test_a_cut_answer_is_complete_and_says_what_cut_it(autojump_clock) -> None:
    async def cut(turn: Turn) -> str:
        turn.cut("length")
        return "half of"

    async with open_house(cut) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
    assert record.outcome is e.Outcome.COMPLETED
    assert record.result is not None
    assert (record.result.text, record.result.finish_reason) == ("half of", "length")


async def test_a_parent_is_told_that_its_childs_answer_was_cut(autojump_clock) -> None:
    async def child(turn: Turn) -> str:
        turn.cut("length")
        return "half of"

    async def parent(turn: Turn) -> str:
        return await turn.delegate(child, "go")

    async with open_house(parent) as sessions:
        record = await settled(sessions, await sessions.ask("s", submission()))
    assert record.result is not None
    assert record.result.text == "half of\n[This answer was cut: length.]"
    assert record.result.finish_reason == "stop"
