"""Waiting for what only a look from outside can tell, and doing several things at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from tests.helpers import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_EVERY_S = 0.02


async def eventually(holds: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
    """What `holds` gives once that is true. For what only a look from outside can tell, such as a file or a process.

    Args:
        holds: looks, and returns something true when it is so.
        patience_s: how long it may take.
    """
    with trio.fail_after(patience_s):
        while True:
            await trio.sleep(LOOK_EVERY_S)
            if found := holds():
                return found


async def gather(*calls: Any) -> list[Any]:
    """Run these at the same time; their results in the same order.

    Args:
        calls: async functions without arguments.
    """
    results: list[Any] = [None] * len(calls)

    async def run(place: int, call: Any) -> None:
        results[place] = await call()

    async with trio.open_nursery() as nursery:
        for place, call in enumerate(calls):
            nursery.start_soon(run, place, call)
    return results


async def many(count: int, at_once: int, one: Callable[[], Any]) -> None:
    """Run an async function so many times, some of them at the same time.

    Args:
        count: how often.
        at_once: the most at the same time.
        one: what to run.
    """
    limiter = trio.CapacityLimiter(at_once)

    async def limited() -> None:
        async with limiter:
            await one()

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(limited)
