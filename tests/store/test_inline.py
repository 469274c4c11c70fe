"""The store in memory: the same promises without a thread, so that tests can let the clock jump."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, assert_checkpoints

from placet.actors.protocol.errors import StoreUnavailable
from placet.actors.store import Store
from tests.store.build import Scribe, accepted, opened


async def test_the_clock_does_not_move_while_it_writes(scribe: Scribe, autojump_clock: MockClock) -> None:
    with trio.fail_after(0.001):
        for number in range(50):
            await scribe.write(f"s{number}", opened(), accepted(f"a{number}"))
    assert trio.current_time() == 0


async def test_every_call_is_a_checkpoint(store: Store, scribe: Scribe) -> None:
    with assert_checkpoints():
        await scribe.write("s", opened())
    with assert_checkpoints():
        await store.session("s")


async def test_cancelled_before_it_writes_nothing_is_written(store: Store, scribe: Scribe) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await scribe.write("s", opened())
    assert scope.cancelled_caught
    assert await store.session("s") is None


async def test_two_stores_share_nothing(store: Store, scribe: Scribe) -> None:
    await scribe.write("s", opened())
    other = Store.inline()
    assert await other.session("s") is None
    assert other.digest_key != store.digest_key


async def test_its_health(store: Store, scribe: Scribe) -> None:
    await scribe.write("s", opened())
    health = store.health
    assert (health.ready, health.error, health.waiting, health.log_bytes, health.epoch) == (
        True,
        None,
        0,
        0,
        1,
    )
    assert health.commit_s > 0


async def test_a_closed_one_takes_nothing(store: Store, scribe: Scribe) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await scribe.write("s", opened())
