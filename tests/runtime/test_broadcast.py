"""The broadcast channel, by example and against a naive model."""

from __future__ import annotations

from collections import deque

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from placet.actors.runtime import Broadcast, BroadcastClosed, Subscription, SubscriptionCut


async def test_every_subscriber_gets_every_item() -> None:
    """Trap T26: clones of a memory channel would compete for the items."""
    cast: Broadcast[str] = Broadcast()
    first, second = cast.subscribe(), cast.subscribe()
    cast.publish("a", 1)
    cast.publish("b", 1)
    assert await first.receive() == ["a", "b"]
    assert await second.receive() == ["a", "b"]


async def test_a_subscriber_starts_with_the_next_item() -> None:
    cast: Broadcast[str] = Broadcast()
    early = cast.subscribe()
    cast.publish("before", 1)
    late = cast.subscribe()
    cast.publish("after", 1)
    assert await late.receive() == ["after"]
    assert await early.receive() == ["before", "after"]


async def test_publishing_wakes_all_who_sleep(nursery: trio.Nursery) -> None:
    cast: Broadcast[int] = Broadcast()
    got: list[list[int]] = []

    async def read(subscription: Subscription[int]) -> None:
        got.append(await subscription.receive())

    for _ in range(3):
        nursery.start_soon(read, cast.subscribe())
    await wait_all_tasks_blocked()
    cast.publish(1, 1)
    cast.publish(2, 1)
    await wait_all_tasks_blocked()
    assert got == [[1, 2]] * 3


async def test_receive_is_always_a_checkpoint() -> None:
    """Trap T13."""
    cast: Broadcast[int] = Broadcast()
    reader = cast.subscribe()
    cast.publish(1, 1)
    with assert_checkpoints():
        await reader.receive()


async def test_a_cancelled_receive_takes_nothing() -> None:
    cast: Broadcast[int] = Broadcast()
    reader = cast.subscribe()
    cast.publish(1, 1)
    with trio.move_on_after(0):
        await reader.receive()
    assert await reader.receive() == [1]


async def test_a_subscriber_too_many_items_behind_is_cut_with_a_reason() -> None:
    cast: Broadcast[int] = Broadcast(max_items=2)
    slow, quick = cast.subscribe(), cast.subscribe()
    for item in (1, 2, 3):
        cast.publish(item, 1)
        assert await quick.receive() == [item]
    with pytest.raises(SubscriptionCut) as cut:
        await slow.receive()
    assert cut.value.reason == "more than 2 items or 1048576 bytes behind"
    assert cast.subscriber_count == 1


async def test_exactly_at_the_bound_nobody_is_cut() -> None:
    cast: Broadcast[int] = Broadcast(max_items=2, max_bytes=10)
    reader = cast.subscribe()
    cast.publish(1, 5)
    cast.publish(2, 5)
    assert await reader.receive() == [1, 2]


async def test_a_subscriber_too_many_bytes_behind_is_cut() -> None:
    cast: Broadcast[int] = Broadcast(max_bytes=10)
    reader = cast.subscribe()
    cast.publish(1, 6)
    cast.publish(2, 6)
    with pytest.raises(SubscriptionCut):
        await reader.receive()


async def test_an_oversized_item_still_reaches_who_keeps_up() -> None:
    cast: Broadcast[int] = Broadcast(max_bytes=10)
    reader = cast.subscribe()
    cast.publish(1, 11)
    assert await reader.receive() == [1]


async def test_a_cut_subscription_closes_without_effect() -> None:
    cast: Broadcast[int] = Broadcast(max_items=1)
    cut, other = cast.subscribe(), cast.subscribe()
    cast.publish(1, 1)
    await other.receive()
    cast.publish(2, 1)
    cut.close()
    assert cast.subscriber_count == 1
    assert await other.receive() == [2]


async def test_close_delivers_what_is_left_and_then_says_why(nursery: trio.Nursery) -> None:
    cast: Broadcast[int] = Broadcast()
    reader = cast.subscribe()
    cast.publish(1, 1)
    cast.close("drain")
    cast.close("a second reason")
    assert await reader.receive() == [1]
    for _ in range(2):
        with pytest.raises(BroadcastClosed) as closed:
            await reader.receive()
        assert closed.value.reason == "drain"
    with pytest.raises(BroadcastClosed):
        cast.publish(2, 1)
    with pytest.raises(BroadcastClosed):
        await cast.subscribe().receive()


@pytest.mark.parametrize("who", ["broadcast", "subscription"])
async def test_closing_either_end_wakes_a_sleeping_reader(who: str, nursery: trio.Nursery) -> None:
    cast: Broadcast[int] = Broadcast()
    reader = cast.subscribe()
    ended: list[type[Exception]] = []

    async def read() -> None:
        try:
            await reader.receive()
        except (BroadcastClosed, trio.ClosedResourceError) as end:
            ended.append(type(end))

    nursery.start_soon(read)
    await wait_all_tasks_blocked()
    if who == "broadcast":
        cast.close("drain")
    else:
        reader.close()
    await wait_all_tasks_blocked()
    assert ended == [BroadcastClosed if who == "broadcast" else trio.ClosedResourceError]


async def test_closing_a_subscription_twice_counts_once() -> None:
    cast: Broadcast[int] = Broadcast()
    with cast.subscribe() as gone:
        kept = cast.subscribe()
        cast.publish(1, 1)
    gone.close()
    assert cast.subscriber_count == 1
    assert await kept.receive() == [1]


async def test_the_log_keeps_only_what_somebody_has_still_to_read() -> None:
    """Ten thousand actors with a full log each would be gigabytes."""
    cast: Broadcast[int] = Broadcast()
    cast.publish(0, 1)
    assert len(cast._log._entries) == 0
    quick, slow = cast.subscribe(), cast.subscribe()
    for item in (1, 2, 3):
        cast.publish(item, 1)
        await quick.receive()
    assert len(cast._log._entries) == 3
    assert await slow.receive() == [1, 2, 3]
    assert len(cast._log._entries) == 0
    assert cast._log._size_bytes == 0
    cast.publish(4, 1)
    slow.close()
    assert len(cast._log._entries) == 1
    quick.close()
    assert len(cast._log._entries) == 0


class Model:
    """The same with a queue for each reader, which is what nobody can afford."""

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self.max_items, self.max_bytes = max_items, max_bytes
        self.queues: dict[int, deque[tuple[int, int]] | None] = {}

    def publish(self, item: int, size: int) -> None:
        for reader, queue in self.queues.items():
            if queue is not None:
                queue.append((item, size))
                behind = len(queue) > self.max_items or sum(size for _, size in queue) > self.max_bytes
                if behind and len(queue) > 1:
                    self.queues[reader] = None

    def receive(self, reader: int) -> list[int] | None:
        queue = self.queues[reader]
        if queue is None:
            return None
        items = [item for item, _ in queue]
        queue.clear()
        return items


steps = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.integers(0, 8)),
        st.tuples(st.sampled_from(["subscribe", "receive", "close"]), st.integers(0, 4)),
    ),
    max_size=60,
)


@settings(max_examples=100, deadline=None)
@given(steps=steps)
async def test_it_behaves_like_a_queue_for_each_reader(steps: list[tuple[str, int]]) -> None:
    cast: Broadcast[int] = Broadcast(max_items=4, max_bytes=16)
    model = Model(4, 16)
    readers: dict[int, Subscription[int]] = {}
    for number, (what, value) in enumerate(steps):
        if what == "publish":
            cast.publish(number, value)
            model.publish(number, value)
        elif what == "subscribe" and value not in readers:
            readers[value] = cast.subscribe()
            model.queues[value] = deque()
        elif what == "close" and value in readers:
            readers.pop(value).close()
            del model.queues[value]
        elif what == "receive" and value in readers and model.queues[value] != deque():
            expected = model.receive(value)
            if expected is None:
                with pytest.raises(SubscriptionCut):
                    await readers[value].receive()
            else:
                assert await readers[value].receive() == expected
        live = [queue for queue in model.queues.values() if queue is not None]
        assert cast.subscriber_count == len(live)
        assert len(cast._log._entries) == max((len(queue) for queue in live), default=0)
