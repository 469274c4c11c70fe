"""Servers that are started for benchmarks."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from benchmarks.harness.processes import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from benchmarks.contestants import Contestant
    from benchmarks.harness.processes import Running


class Stable:
    """Starts contestants: each anew and on the servers' core, or, where no figure counts, once for all benchmarks.

    Args:
        keeper: ends those that are kept.
        keeps: whether a contestant that runs already is taken again.
    """

    def __init__(self, keeper: AsyncExitStack, *, keeps: bool) -> None:
        self._keeper = keeper
        self._keeps = keeps
        self._kept: dict[str, Running] = {}

    async def start(
        self, contestant: Contestant, directory: Path, model_url: str, ends: AsyncExitStack
    ) -> Running:
        """A running contestant.

        Args:
            contestant: which.
            directory: for its data, if it is started.
            model_url: of the model it asks.
            ends: ends it, unless it is kept.

        Raises:
            Unavailable: it cannot be installed or does not start.
        """
        known = repr(contestant)
        if known in self._kept and self._kept[known].process.poll() is None:
            return self._kept[known]
        started = running(contestant, directory, model_url, pinned=not self._keeps)
        server = await (self._keeper if self._keeps else ends).enter_async_context(started)
        if self._keeps:
            self._kept[known] = server
        return server


@asynccontextmanager
async def open_stable(*, keeps: bool) -> AsyncIterator[Stable]:
    """A stable whose servers end with the block."""
    async with AsyncExitStack() as keeper:
        yield Stable(keeper, keeps=keeps)
