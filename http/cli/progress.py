"""A word on standard error while something takes long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TypeVar

import outcome
import trio

from placet.http.cli.text import cut

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

EVERY_S: Final = 0.25
_WIDTH: Final = 79


async def watched(work: Callable[[], T], describe: Callable[[], str]) -> T:
    """Do something that blocks, and meanwhile say how far it is, if a terminal is there to read it.

    Cancelled, the work is left to itself, which the end of the process ends.

    Args:
        work: what is to be done, in a thread.
        describe: a few words about it; called again and again.

    Raises what the work raises.
    """
    shown = sys.stderr.isatty()

    async def describe_on() -> None:
        while shown:
            await trio.sleep(EVERY_S)
            print(f"\r\x1b[K{cut(describe(), _WIDTH)}", end="", file=sys.stderr, flush=True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(describe_on)
        done = await trio.to_thread.run_sync(outcome.capture, work, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return done.unwrap()


def size(count: int) -> str:
    """A number of bytes in a person's words."""
    if count < 1_000_000:
        return f"{count / 1e3:.0f} kB"
    return f"{count / 1e6:.1f} MB" if count < 1_000_000_000 else f"{count / 1e9:.2f} GB"
