"""The bounded inbox."""

import pytest
import trio
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from placet.actors.protocol.errors import ActorStopped, MailboxFull
from placet.actors.runtime import Mailbox


def test_a_mailbox_without_room_is_refused() -> None:
    """Trap P3: with no buffer every send waits for the handler before it."""
    with pytest.raises(ValueError, match="without room"):
        Mailbox[int](0)


async def test_items_come_out_in_the_order_in_which_they_went_in() -> None:
    box: Mailbox[int] = Mailbox(3)
    for item in (1, 2, 3):
        box.offer(item)
    assert len(box) == 3
    assert [await box.get(), await box.get(), await box.get()] == [1, 2, 3]


async def test_offer_refuses_when_full_and_says_when_to_come_back() -> None:
    box: Mailbox[int] = Mailbox(1)
    box.offer(1)
    with pytest.raises(MailboxFull) as refused:
        box.offer(2)
    assert refused.value.retry_after_s == 1.0
    assert box.seal() == [1]


async def test_get_is_always_a_checkpoint() -> None:
    """Trap T13: a full inbox must not let its actor starve everybody else."""
    box: Mailbox[int] = Mailbox(1)
    box.offer(1)
    with assert_checkpoints():
        await box.get()


async def test_a_cancelled_get_takes_nothing() -> None:
    """Trap T2: the message would be handled by nobody."""
    box: Mailbox[int] = Mailbox(1)
    box.offer(1)
    with trio.move_on_after(0):
        await box.get()
    assert await box.get() == 1


async def test_a_get_that_is_woken_and_cancelled_in_one_breath_keeps_its_item(nursery: trio.Nursery) -> None:
    """Trap T2 again, from the side of the sleeper."""
    box: Mailbox[int] = Mailbox(1)
    scope = trio.CancelScope()
    got: list[int] = []

    async def take() -> None:
        with scope:
            got.append(await box.get())

    nursery.start_soon(take)
    await wait_all_tasks_blocked()
    box.offer(7)
    scope.cancel()
    await wait_all_tasks_blocked()
    assert got == [7]
    assert len(box) == 0


async def test_put_waits_for_room_and_passes_it_on_in_order(nursery: trio.Nursery) -> None:
    box: Mailbox[int] = Mailbox(1)
    box.offer(0)
    for item in (1, 2, 3):
        nursery.start_soon(box.put, item)
        await wait_all_tasks_blocked()
    with pytest.raises(MailboxFull):
        box.offer(9)
    assert [await box.get() for _ in range(4)] == [0, 1, 2, 3]


async def test_nobody_slips_in_before_a_waiting_put(nursery: trio.Nursery) -> None:
    """Room goes to the longest waiter in the very step that makes it."""
    box: Mailbox[str] = Mailbox(1)
    box.offer("first")
    nursery.start_soon(box.put, "waited")
    await wait_all_tasks_blocked()
    assert await box.get() == "first"
    with pytest.raises(MailboxFull):
        box.offer("slipped in")
    assert await box.get() == "waited"


async def test_a_cancelled_put_has_put_nothing(nursery: trio.Nursery) -> None:
    box: Mailbox[int] = Mailbox(1)
    with trio.move_on_after(0):
        await box.put(8)
    box.offer(0)
    scope = trio.CancelScope()

    async def try_to_put() -> None:
        with scope:
            await box.put(9)

    nursery.start_soon(try_to_put)
    await wait_all_tasks_blocked()
    scope.cancel()
    await wait_all_tasks_blocked()
    assert scope.cancelled_caught
    assert box.seal() == [0]


async def test_post_goes_beyond_the_bound() -> None:
    """An actor's note to itself is never lost and never waits for the loop that would have to make room."""
    box: Mailbox[int] = Mailbox(1)
    box.offer(1)
    assert box.post(2)
    assert box.post(3)
    assert [await box.get(), await box.get(), await box.get()] == [1, 2, 3]


async def test_after_posts_beyond_the_bound_a_put_waits_until_there_is_room(nursery: trio.Nursery) -> None:
    box: Mailbox[int] = Mailbox(1)
    box.post(1)
    box.post(2)
    nursery.start_soon(box.put, 3)
    await wait_all_tasks_blocked()
    assert await box.get() == 1
    assert len(box) == 1
    assert [await box.get(), await box.get()] == [2, 3]


async def test_seal_hands_back_the_leftovers_once() -> None:
    """Trap T1: closing must not lose what is buffered."""
    box: Mailbox[int] = Mailbox(2)
    box.offer(1)
    box.offer(2)
    assert box.seal() == [1, 2]
    assert box.seal() == []


async def test_a_sealed_mailbox_refuses_everything() -> None:
    box: Mailbox[int] = Mailbox(2)
    box.seal()
    with pytest.raises(ActorStopped):
        box.offer(1)
    with pytest.raises(ActorStopped):
        await box.put(1)
    assert not box.post(1)


async def test_sealing_wakes_every_waiting_put(nursery: trio.Nursery) -> None:
    """Trap T1: neither delivered nor refused would be a sender that hangs."""
    box: Mailbox[int] = Mailbox(1)
    box.offer(0)
    refused: list[int] = []

    async def put(item: int) -> None:
        try:
            await box.put(item)
        except ActorStopped:
            refused.append(item)

    for item in (1, 2):
        nursery.start_soon(put, item)
    await wait_all_tasks_blocked()
    assert box.seal() == [0]
    await wait_all_tasks_blocked()
    assert sorted(refused) == [1, 2]


async def test_parked_means_asleep_with_nothing_in_hand(nursery: trio.Nursery) -> None:
    """Trap T7: between the wake-up and the run of the getter an item is on its way, so it is not parked."""
    box: Mailbox[int] = Mailbox(1)
    assert not box.is_parked
    nursery.start_soon(box.get)
    await wait_all_tasks_blocked()
    assert box.is_parked
    box.offer(1)
    assert not box.is_parked
    await wait_all_tasks_blocked()
    assert not box.is_parked


async def test_a_cancelled_getter_is_not_parked(nursery: trio.Nursery) -> None:
    box: Mailbox[int] = Mailbox(1)
    nursery.start_soon(box.get)
    await wait_all_tasks_blocked()
    nursery.cancel_scope.cancel()
    assert not box.is_parked
