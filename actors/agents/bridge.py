"""Running an agent: an async function as it is, a plain function in a thread of its own.

Every call of the thread becomes a task in a nursery of the turn. So the turn's cancellation reaches what the thread waits for, the
task answers the thread with `TurnCancelled`, and a block such as `turn.tool` is entered and left by one and the same task.
"""

from __future__ import annotations

import contextvars
import inspect
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import outcome
import trio

from placet.actors.agents.blocking import BlockingTurn
from placet.actors.agents.calls import Calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.agents.loading import Agent
    from placet.actors.agents.turn import Turn

ABANDON_AFTER_S = 2.0
"""How long a stopped turn waits for its thread. A thread cannot be killed, and a drain may not wait for ever."""

_current: contextvars.ContextVar[BlockingTurn] = contextvars.ContextVar("placet_current_turn")
logger: Final = logging.getLogger("placet.agents")


def current_turn() -> BlockingTurn:
    """The turn whose plain function is running, for a hook that is given no argument.

    Each turn's thread finds its own. A thread that the agent starts itself must be started in a copy of the agent's context
    (`contextvars.copy_context().run`), or be handed the turn.

    Raises:
        LookupError: no plain function of an agent is running here.
    """
    return _current.get()


def _no_one() -> None:
    pass


async def run_agent(agent: Agent, turn: Turn, thread_ended: Callable[[], None] = _no_one) -> str | None:
    """Run one turn of `agent` to its end. Always a checkpoint for a plain function.

    Cancellation of a plain function: its current or next call raises `TurnCancelled`, and this returns when the thread has ended.
    A thread that has not after `ABANDON_AFTER_S` is left behind with a warning in the log; whatever it asks of the turn raises
    `TurnCancelled`.

    Args:
        agent: what to run.
        turn: what it is given; a plain function gets a `BlockingTurn` over it.
        thread_ended: called on trio once a plain function's thread has ended, or could not be started: before this returns or, if
            the thread was left behind, some time later. Whoever bounds the number of threads counts by it.

    Returns:
        What the agent returned.

    Raises:
        TypeError: it returned something else than text or `None`.
        RuntimeError: it tried to end the process.
        Exception: whatever the agent raised.
    """
    if agent.blocking:
        result = await _run_in_thread(agent, turn, thread_ended)
    else:
        try:
            result = await agent.function(turn)
        except SystemExit as error:
            raise _no_exit(agent, error) from error
    return _checked(agent, result)


async def _run_in_thread(agent: Agent, turn: Turn, thread_ended: Callable[[], None]) -> Any:
    thread = _Thread(thread_ended)
    async with trio.open_nursery() as nursery:
        calls = Calls(nursery)
        thread.start(agent.function, BlockingTurn(turn, calls))
        try:
            await thread.ended.wait()
        finally:
            calls.close()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + ABANDON_AFTER_S):
                await thread.ended.wait()
            if not thread.ended.is_set():
                logger.warning(
                    "the thread of %s in %s did not end and is left behind", agent.name, turn.session_id
                )
            nursery.cancel_scope.cancel()
    assert thread.result is not None
    if isinstance(thread.result, outcome.Error) and not isinstance(thread.result.error, Exception):
        raise _no_exit(agent, thread.result.error)  # on trio only a cancellation may pass for one
    return thread.result.unwrap()


class _Thread:
    """The thread of one plain function.

    Attributes:
        ended: set when it has ended.
        result: then, what it returned or raised.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.ended = trio.Event()
        self.result: outcome.Outcome[Any] | None = None
        self._on_end = on_end
        self._token = trio.lowlevel.current_trio_token()

    def start(self, function: Callable[[BlockingTurn], Any], turn: BlockingTurn) -> None:
        """Run `function(turn)` in the caller's context, in which `current_turn` finds the turn."""
        context = contextvars.copy_context()
        context.run(_current.set, turn)
        try:
            trio.lowlevel.start_thread_soon(lambda: context.run(function, turn), self._deliver)
        except RuntimeError as error:  # the machine has no thread left
            self._end(outcome.Error(error))

    def _deliver(self, result: outcome.Outcome[Any]) -> None:
        with suppress(trio.RunFinishedError):  # abandoned, and the server has gone since
            self._token.run_sync_soon(self._end, result)

    def _end(self, result: outcome.Outcome[Any]) -> None:
        self.result = result
        self._on_end()
        self.ended.set()


def _checked(agent: Agent, result: Any) -> str | None:
    """What the agent returned, if it is what agents return.

    Raises:
        TypeError: it is not.
    """
    if result is None or isinstance(result, str):
        return result
    if inspect.iscoroutine(result):
        result.close()  # else Python warns of it, at some other time
        raise TypeError(
            f"The agent {agent.name!r} is a plain function that returns a coroutine; make it `async def`."
        )
    raise TypeError(
        f"The agent {agent.name!r} returned {type(result).__name__}; it must return text or None."
    )


def _no_exit(agent: Agent, error: BaseException) -> RuntimeError:
    return RuntimeError(
        f"The agent {agent.name!r} raised {type(error).__name__}; an agent ends by returning."
    )
