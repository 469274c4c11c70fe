"""The one-shot reply."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.protocol.errors import ActorStopped
from placet.actors.runtime import Counts, Reply
from placet.actors.runtime.reply import NOBODY, OpenReplies


async def test_an_answer_reaches_the_waiter(nursery: trio.Nursery) -> None:
    reply: Reply[int] = Reply()
    got: list[int] = []

    async def ask() -> None:
        got.append(await reply.wait())

    nursery.start_soon(ask)
    await wait_all_tasks_blocked()
    assert not reply.done
    assert reply.send(3)
    assert reply.done
    await wait_all_tasks_blocked()
    assert got == [3]


async def test_a_failure_is_raised_at_the_waiter() -> None:
    reply: Reply[int] = Reply()
    assert reply.fail(ActorStopped("gone"))
    with pytest.raises(ActorStopped, match="gone"):
        await reply.wait()


async def test_waiting_for_an_answer_that_is_there_lets_others_run(nursery: trio.Nursery) -> None:
    """Trap T13."""
    replies = [
        Reply[int](),
        Reply[int](),
    ]  # two: within one batch trio picks at random who goes first (trap T12)
    ran = trio.Event()

    async def other() -> None:
        ran.set()

    nursery.start_soon(other)
    for reply in replies:
        reply.send(1)
        assert await reply.wait() == 1
    assert ran.is_set()


async def test_a_sent_answer_arrives_even_under_cancellation() -> None:
    """`send` said True, so what it sent has a new owner: nothing may lose it (trap H13)."""
    reply: Reply[int] = Reply()
    assert reply.send(1)
    got: list[int] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        got.append(await reply.wait())
    assert got == [1]


async def test_an_answer_and_a_cancellation_in_one_breath_still_arrive(nursery: trio.Nursery) -> None:
    reply: Reply[int] = Reply()
    scope = trio.CancelScope()
    got: list[int] = []

    async def ask() -> None:
        with scope:
            got.append(await reply.wait())

    nursery.start_soon(ask)
    await wait_all_tasks_blocked()
    assert reply.send(5)
    scope.cancel()
    await wait_all_tasks_blocked()
    assert got == [5]


async def test_a_late_answer_is_a_counted_no_op() -> None:
    """Trap P1: the asker timed out, and the answer must not hurt the one who gives it."""
    counts = Counts()
    reply: Reply[int] = Reply()
    OpenReplies(counts).keep(reply)
    with trio.move_on_after(0):
        await reply.wait()
    assert reply.abandoned
    assert not reply.send(1)
    assert not reply.fail(ActorStopped("late"))
    assert counts.late_answers == 2


async def test_only_the_first_answer_counts() -> None:
    counts = Counts()
    reply: Reply[int] = Reply()
    OpenReplies(counts).keep(reply)
    assert reply.send(1)
    assert not reply.send(2)
    assert await reply.wait() == 1
    assert counts.late_answers == 1


async def test_open_replies_lets_go_of_what_is_answered_or_abandoned() -> None:
    keeper = OpenReplies(Counts())
    answered, abandoned, open_one = Reply[int](), Reply[int](), Reply[int]()
    for reply in (answered, abandoned, open_one):
        keeper.keep(reply)
    answered.send(1)
    with trio.move_on_after(0):
        await abandoned.wait()
    assert len(keeper) == 1


async def test_fail_all_gives_each_waiter_an_error_of_its_own() -> None:
    """Trap T9. One exception object raised in two tasks would collect both their tracebacks."""
    keeper = OpenReplies(Counts())
    replies = [Reply[int](), Reply[int]()]
    for reply in replies:
        keeper.keep(reply)
    keeper.fail_all(lambda: ActorStopped("gone"))
    errors: list[ActorStopped] = []
    for reply in replies:
        with pytest.raises(ActorStopped) as caught:
            await reply.wait()
        errors.append(caught.value)
    assert errors[0] is not errors[1]
    assert len(keeper) == 0


async def test_nobody_takes_no_answer() -> None:
    assert not NOBODY.send(1)
    assert not NOBODY.done
