"""How a thread calls async functions of a turn, and how it gets inside their blocks."""

from __future__ import annotations

import contextvars
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import outcome
import trio

from placet.actors.agents.turn import TurnCancelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


class Calls:
    """The way from any thread to the turn's nursery, open until it is closed.

    Args:
        nursery: in which the calls run.
    """

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery: trio.Nursery | None = nursery
        self._token = trio.lowlevel.current_trio_token()

    def close(self) -> None:
        """Refuse every later call. On trio only; a second call does nothing."""
        self._nursery = None

    def run(self, function: Callable[[], Awaitable[T]]) -> T:
        """Run `function` as a task of the turn and block until it has ended.

        Raises:
            TurnCancelled: the turn was stopped, before or meanwhile.
            Exception: whatever the function raised.
        """
        ended: SimpleQueue[outcome.Outcome[T]] = SimpleQueue()
        self.begin(function, ended.put)
        return ended.get().unwrap()

    def run_sync(self, function: Callable[[], T]) -> T:
        """The same for a function that is not async."""
        ended: SimpleQueue[outcome.Outcome[T]] = SimpleQueue()
        self.soon(lambda: ended.put(outcome.capture(self._if_open, function)))
        return ended.get().unwrap()

    def _if_open(self, function: Callable[[], T]) -> T:
        if self._nursery is None:
            raise TurnCancelled
        return function()

    def begin(
        self, function: Callable[[], Awaitable[Any]], ended: Callable[[outcome.Outcome[Any]], None]
    ) -> None:
        """Start `function` as a task of the turn, in the calling thread's context. How it ends is given to `ended`, on trio.

        Raises:
            TurnCancelled: the server has gone.
        """
        self.soon(partial(self._start, contextvars.copy_context(), function, ended))

    def soon(self, function: Callable[[], object]) -> None:
        """Call `function` on trio.

        Raises:
            TurnCancelled: the server has gone.
        """
        try:
            self._token.run_sync_soon(function)
        except trio.RunFinishedError:
            raise TurnCancelled from None

    def _start(
        self,
        context: contextvars.Context,
        function: Callable[[], Awaitable[Any]],
        ended: Callable[[outcome.Outcome[Any]], None],
    ) -> None:
        if self._nursery is None:
            ended(outcome.Error(TurnCancelled()))
        else:
            context.run(self._nursery.start_soon, _serve, function, ended)


async def _serve(
    function: Callable[[], Awaitable[Any]], ended: Callable[[outcome.Outcome[Any]], None]
) -> None:
    """Run one call and always say how it ended: a thread waits for it. Only cancellations go on into the nursery."""
    result: outcome.Outcome[Any] = outcome.Error(TurnCancelled())
    try:
        result = outcome.Value(await function())
    except Exception as error:  # the agent's to see: it is raised in the thread
        result = outcome.Error(error)
    finally:
        ended(result)


class Inside(msgspec.Struct, frozen=True):
    """News for the thread: the block was entered, with this value, in this context."""

    value: Any
    context: contextvars.Context


class Visit:
    """The inside of an async block, lent to a thread.

    One task is in the block from its beginning to its end, as cancel scopes want it. It tells the thread what it entered, waits
    until the thread says how its part ended, ends the block in the same way, and tells the thread how that went.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._news: SimpleQueue[Inside | outcome.Outcome[Any]] = SimpleQueue()
        self._left = trio.Event()
        self._how: outcome.Outcome[Any] = outcome.Error(TurnCancelled())

    def enter(
        self, block: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
    ) -> Inside | outcome.Outcome[Any]:
        """In the thread: begin `block(inside)` and wait until it is inside, or has ended without calling it."""
        self._calls.begin(partial(block, self._inside), self._news.put)
        return self._news.get()

    def leave(self, how: outcome.Outcome[Any]) -> outcome.Outcome[Any]:
        """In the thread: say how its part ended, wait for the block's end, and return how that went."""
        self._calls.soon(partial(self._leave, how))
        news = self._news.get()
        assert not isinstance(news, Inside)
        return news

    async def _inside(self, value: Any) -> Any:
        self._news.put(Inside(value, contextvars.copy_context()))
        await self._left.wait()
        return self._how.unwrap()

    def _leave(self, how: outcome.Outcome[Any]) -> None:
        self._how = how
        self._left.set()
