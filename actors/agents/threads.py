"""The turn as the thread of a plain function sees it."""

from __future__ import annotations

import contextvars
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import outcome
import trio

from placet.actors.agents.turn import BlockingToolCall, Surroundings, ToolCall, Turn, TurnCancelled
from placet.actors.protocol.approvals import ALL_CHOICES, Choice, Decision

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from placet.actors.protocol.conversation import ChatMessage, Settings, Usage

T = TypeVar("T")


class _Calls:
    """The way from any thread to the turn's nursery, open until the turn ends or is stopped."""

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


class _Inside(msgspec.Struct, frozen=True):
    """News for the thread: the block was entered, with this value, in this context."""

    value: Any
    context: contextvars.Context


class _Visit:
    """The inside of an async block, lent to a thread.

    One task is in the block from its beginning to its end, as cancel scopes want it. It tells the thread what it entered, waits
    until the thread says how its part ended, ends the block in the same way, and tells the thread how that went.
    """

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls
        self._news: SimpleQueue[_Inside | outcome.Outcome[Any]] = SimpleQueue()
        self._left = trio.Event()
        self._how: outcome.Outcome[Any] = outcome.Error(TurnCancelled())

    def enter(
        self, block: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
    ) -> _Inside | outcome.Outcome[Any]:
        """In the thread: begin `block(inside)` and wait until it is inside, or has ended without calling it."""
        self._calls.begin(partial(block, self._inside), self._news.put)
        return self._news.get()

    def leave(self, how: outcome.Outcome[Any]) -> outcome.Outcome[Any]:
        """In the thread: say how its part ended, wait for the block's end, and return how that went."""
        self._calls.soon(partial(self._leave, how))
        news = self._news.get()
        assert not isinstance(news, _Inside)
        return news

    async def _inside(self, value: Any) -> Any:
        self._news.put(_Inside(value, contextvars.copy_context()))
        await self._left.wait()
        return self._how.unwrap()

    def _leave(self, how: outcome.Outcome[Any]) -> None:
        self._how = how
        self._left.set()


class ThreadTurn:
    """A `BlockingTurn` over a `Turn`. See there for what the names mean.

    Args:
        turn: what it passes everything on to.
        nursery: in which the calls run.
    """

    def __init__(self, turn: Turn, nursery: trio.Nursery) -> None:
        self._turn = turn
        self._calls = _Calls(nursery)
        self.close = self._calls.close

    @property
    def input(self) -> str:
        """The user's text."""
        return self._turn.input

    @property
    def content(self) -> ChatMessage:
        """The whole user message, images included."""
        return self._turn.content

    @property
    def history(self) -> tuple[ChatMessage, ...]:
        """What was said before, oldest first."""
        return self._turn.history

    @property
    def system(self) -> str:
        """System-level text for this turn."""
        return self._turn.system

    @property
    def settings(self) -> Settings:
        """What the client asked of the model."""
        return self._turn.settings

    @property
    def session_id(self) -> str:
        """Whose turn it is."""
        return self._turn.session_id

    @property
    def generation(self) -> int:
        """Under which claim it runs."""
        return self._turn.generation

    @property
    def surroundings(self) -> Surroundings:
        """Where it works."""
        return self._turn.surroundings

    def say(self, text: str) -> None:
        """Add to the answer."""
        self._calls.run(partial(self._turn.say, text))

    def think(self, text: str) -> None:
        """Add to the reasoning."""
        self._calls.run(partial(self._turn.think, text))

    @contextmanager
    def tool(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> Iterator[BlockingToolCall]:
        """Run a tool inside this block."""

        async def block(inside: Callable[[ToolCall], Awaitable[None]]) -> None:
            async with self._turn.tool(name, arguments, call_id=call_id) as call:
                await inside(call)

        visit = _Visit(self._calls)
        entered = visit.enter(block)
        if not isinstance(entered, _Inside):
            entered.unwrap()
            raise RuntimeError("the tool's block ended before it was entered")
        try:
            yield _ThreadToolCall(entered.value, self._calls)
        except Exception as error:
            visit.leave(outcome.Error(error))
            raise
        except BaseException:  # the thread is ending; what raised it is not trio's to see
            visit.leave(outcome.Error(RuntimeError("the agent's thread ended inside the tool")))
            raise
        visit.leave(outcome.Value(None)).unwrap()

    def request_approval(
        self,
        *,
        command: str,
        description: str,
        pattern_key: str = "",
        tool: str = "terminal",
        arguments: Mapping[str, Any] | None = None,
        directory: str | None = None,
        files: Mapping[str, str] | None = None,
        choices: tuple[Choice, ...] = ALL_CHOICES,
        timeout_s: float | None = None,
    ) -> Decision:
        """Ask a person whether an action may run, and block until the answer."""
        return self._calls.run(
            partial(
                self._turn.request_approval,
                command=command,
                description=description,
                pattern_key=pattern_key,
                tool=tool,
                arguments=arguments,
                directory=directory,
                files=files,
                choices=choices,
                timeout_s=timeout_s,
            )
        )

    def step(self, name: str, function: Callable[[], Any]) -> Any:
        """Run `function` once, in this thread, and journal its result."""

        async def block(inside: Callable[[None], Awaitable[Any]]) -> Any:
            return await self._turn.step(name, partial(inside, None))

        visit = _Visit(self._calls)
        entered = visit.enter(block)
        if not isinstance(entered, _Inside):
            return entered.unwrap()
        try:
            result = entered.context.run(function)
        except Exception as error:
            return visit.leave(outcome.Error(error)).unwrap()
        except BaseException:
            visit.leave(outcome.Error(RuntimeError("the agent's thread ended inside the step")))
            raise
        return visit.leave(outcome.Value(result)).unwrap()

    def count(self, usage: Usage) -> None:
        """Add a model call's tokens to the turn's."""
        self._calls.run_sync(partial(self._turn.count, usage))


class _ThreadToolCall:
    """A `BlockingToolCall` over a `ToolCall`."""

    def __init__(self, call: ToolCall, calls: _Calls) -> None:
        self._call = call
        self._calls = calls

    @property
    def call_id(self) -> str:
        return self._call.call_id

    @property
    def replayed(self) -> bool:
        return self._call.replayed

    @property
    def result(self) -> Any:
        return self._call.result

    def progress(self, text: str) -> None:
        self._calls.run(partial(self._call.progress, text))

    def finish(self, result: Any, *, failed: bool = False) -> None:
        self._calls.run_sync(partial(self._call.finish, result, failed=failed))
