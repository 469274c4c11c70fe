"""A service outlives its users (trap T27)."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from placet.actors.runtime import open_service


class Store:
    """A service that takes writes for as long as it lives."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.is_alive = False

    async def serve(self, *, task_status: trio.TaskStatus[Store]) -> None:
        self.is_alive = True
        task_status.started(self)
        try:
            await trio.sleep_forever()
        finally:
            self.is_alive = False

    async def write(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        assert self.is_alive
        self.written.append(text)


async def test_it_serves_the_body_and_ends_with_it() -> None:
    store = Store()
    async with open_service(store.serve) as handle:
        assert handle is store
        await handle.write("a")
    assert store.written == ["a"]
    assert not store.is_alive


async def test_a_cancelled_user_can_still_write() -> None:
    """Trap T27: with the store in the same nursery it would be cancelled in the same instant."""
    store = Store()
    with trio.CancelScope() as scope:
        async with open_service(store.serve) as handle:
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                with trio.move_on_after(1, shield=True):
                    await handle.write("interrupted")
    assert scope.cancelled_caught
    assert store.written == ["interrupted"]
    assert not store.is_alive


async def test_until_it_has_started_it_can_be_cancelled() -> None:
    async def never_starts(*, task_status: trio.TaskStatus[None]) -> None:
        await trio.sleep(60)
        task_status.started(None)

    with trio.CancelScope() as scope:
        scope.cancel()
        async with open_service(never_starts):
            pytest.fail("it has not started")
    assert scope.cancelled_caught


async def test_a_service_that_fails_cancels_its_users() -> None:
    async def fails(*, task_status: trio.TaskStatus[None]) -> None:
        task_status.started(None)
        await trio.lowlevel.checkpoint()
        raise OSError("disk")

    with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="disk")):
        async with open_service(fails):
            await trio.sleep_forever()


async def test_a_service_that_returns_while_it_has_users_is_an_error() -> None:
    async def returns(*, task_status: trio.TaskStatus[None]) -> None:
        task_status.started(None)

    with pytest.RaisesGroup(
        pytest.RaisesExc(RuntimeError, match="the service 'brief' ended before its users")
    ):
        async with open_service(returns, name="brief"):
            await trio.sleep_forever()


async def test_the_error_of_a_user_ends_the_service(nursery: trio.Nursery) -> None:
    store = Store()
    with pytest.RaisesGroup(KeyError):
        async with open_service(store.serve):
            await wait_all_tasks_blocked()
            raise KeyError
    assert not store.is_alive
