"""The turn as the thread of a plain function has it: the names of `Turn`, each as a call that blocks until it is done."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import outcome

from placet.actors.agents.calls import Calls, Inside, Visit
from placet.actors.agents.gate import run_guarded
from placet.actors.agents.turn import ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping

    from placet.actors.agents.gate import Refusal
    from placet.actors.agents.terminal import CommandResult

P = ParamSpec("P")
T = TypeVar("T")


def _blocks(
    method: Callable[Concatenate[Turn, P], Awaitable[T]],
) -> Callable[Concatenate[BlockingTurn, P], T]:
    """The async method of that name, as one that blocks."""

    @wraps(method)
    def call(self: BlockingTurn, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own: Callable[P, Awaitable[T]] = getattr(self._turn, method.__name__)
        return self._calls.run(partial(own, *args, **kwargs))

    return call


def _on_trio(method: Callable[Concatenate[Turn, P], T]) -> Callable[Concatenate[BlockingTurn, P], T]:
    """The method of that name, which is not async, called where it may be."""

    @wraps(method)
    def call(self: BlockingTurn, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own: Callable[P, T] = getattr(self._turn, method.__name__)
        return self._calls.run_sync(partial(own, *args, **kwargs))

    return call


class BlockingTurn:
    """A turn for an agent that runs in a thread. `Turn` says what the names mean.

    Any thread may call, also several at once; each waits for its own answer only. A stopped turn raises `TurnCancelled` at the
    agent's next call.

    Args:
        turn: what it passes everything on to.
        calls: the way to it.
    """

    def __init__(self, turn: Turn, calls: Calls) -> None:
        self.input = turn.input
        self.content = turn.content
        self.history = turn.history
        self.system = turn.system
        self.settings = turn.settings
        self.session_id = turn.session_id
        self.generation = turn.generation
        self.surroundings = turn.surroundings
        self._turn = turn
        self._calls = calls

    say = _blocks(Turn.say)
    think = _blocks(Turn.think)
    cut = _on_trio(Turn.cut)
    keep = _blocks(Turn.keep)
    request_approval = _blocks(Turn.request_approval)
    ask = _blocks(Turn.ask)
    take_steering = _on_trio(Turn.take_steering)
    delegate = _blocks(Turn.delegate)
    count = _on_trio(Turn.count)

    def run_guarded(self, command: str, *, call_id: str | None = None) -> CommandResult | Refusal:
        """`placet.actors.agents.run_guarded`, blocking until the command has ended or was refused."""
        return self._calls.run(partial(run_guarded, self._turn, command, call_id=call_id))

    @contextmanager
    def tool(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> Generator[BlockingToolCall, None, None]:
        """Run a tool inside this block. Its start is on disk before the block is entered, its end when the block is left."""

        async def block(inside: Callable[[ToolCall], Awaitable[None]]) -> None:
            async with self._turn.tool(name, arguments, call_id=call_id) as call:
                await inside(call)

        visit = Visit(self._calls)
        entered = visit.enter(block)
        if not isinstance(entered, Inside):
            entered.unwrap()
            raise RuntimeError("the tool's block ended before it was entered")
        try:
            yield BlockingToolCall(entered.value, self._calls)
        except Exception as error:
            visit.leave(outcome.Error(error))
            raise
        except BaseException:  # the thread is ending; what raised it is not trio's to see
            visit.leave(outcome.Error(RuntimeError("the agent's thread ended inside the tool")))
            raise
        visit.leave(outcome.Value(None)).unwrap()

    def step(self, name: str, function: Callable[[], Any], *, wait: bool = True) -> Any:
        """Run `function` once, in this thread, and journal its JSON result; after a crash it is given without running it again.

        Args:
            name: of the step.
            function: what is done.
            wait: whether to return only when the result is on disk, as in `Turn.step`.

        Raises:
            PlacetError: `result_too_large` over the limit of 1 MiB, `replay_diverged` if the journal tells another story.
        """

        async def block(inside: Callable[[None], Awaitable[Any]]) -> Any:
            return await self._turn.step(name, partial(inside, None), wait=wait)

        visit = Visit(self._calls)
        entered = visit.enter(block)
        if not isinstance(entered, Inside):
            return entered.unwrap()
        try:
            result = entered.context.run(function)
        except Exception as error:
            return visit.leave(outcome.Error(error)).unwrap()
        except BaseException:
            visit.leave(outcome.Error(RuntimeError("the agent's thread ended inside the step")))
            raise
        return visit.leave(outcome.Value(result)).unwrap()


class BlockingToolCall:
    """A `ToolCall` as the thread of a plain function has it.

    Args:
        call: what it passes everything on to.
        calls: the way to it.

    Attributes:
        call_id: what clients know the call by.
        replayed: whether the result is already known from before a crash; then the agent must not run the tool again.
    """

    def __init__(self, call: ToolCall, calls: Calls) -> None:
        self.call_id = call.call_id
        self.replayed = call.replayed
        self._call = call
        self._calls = calls

    @property
    def result(self) -> Any:
        """The known result of a replayed call, else `None` until `finish`."""
        return self._call.result

    def progress(self, text: str) -> None:
        """Show what the tool printed. Blocks only if a lot is still unrecorded; never for a slow watcher."""
        self._calls.run(partial(self._call.progress, text))

    def finish(self, result: Any, *, failed: bool = False) -> None:
        """Say what the agent is given. It is recorded when the block ends; a block left by an error records a failure."""
        self._calls.run_sync(partial(self._call.finish, result, failed=failed))
