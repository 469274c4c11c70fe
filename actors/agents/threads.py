"""The turn as the thread of a plain function sees it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import outcome

from placet.actors.agents.calls import Calls, Inside, Visit
from placet.actors.protocol.approvals import ALL_CHOICES, Choice, Decision

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence

    from placet.actors.agents.loading import AnyAgent
    from placet.actors.agents.turn import BlockingToolCall, Surroundings, ToolCall, Turn
    from placet.actors.protocol.conversation import ChatMessage, Settings, Usage


class ThreadTurn:
    """A `BlockingTurn` over a `Turn`. See there for what the names mean.

    Args:
        turn: what it passes everything on to.
        calls: the way to it.
    """

    def __init__(self, turn: Turn, calls: Calls) -> None:
        self._turn = turn
        self._calls = calls

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
    ) -> Generator[BlockingToolCall, None, None]:
        """Run a tool inside this block."""

        async def block(inside: Callable[[ToolCall], Awaitable[None]]) -> None:
            async with self._turn.tool(name, arguments, call_id=call_id) as call:
                await inside(call)

        visit = Visit(self._calls)
        entered = visit.enter(block)
        if not isinstance(entered, Inside):
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

    def ask(self, question: str, choices: Sequence[str] = (), timeout_s: float | None = None) -> str | None:
        """Ask a person a question and block until the answer."""
        return self._calls.run(partial(self._turn.ask, question, choices, timeout_s))

    def take_steering(self) -> tuple[str, ...]:
        """What people told the turn since the last call."""
        return self._calls.run_sync(self._turn.take_steering)

    def step(self, name: str, function: Callable[[], Any]) -> Any:
        """Run `function` once, in this thread, and journal its result."""

        async def block(inside: Callable[[None], Awaitable[Any]]) -> Any:
            return await self._turn.step(name, partial(inside, None))

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

    def delegate(self, agent: AnyAgent, text: str) -> str:
        """Run another agent inside this turn and block until it is done."""
        return self._calls.run(partial(self._turn.delegate, agent, text))

    def count(self, usage: Usage) -> None:
        """Add a model call's tokens to the turn's."""
        self._calls.run_sync(partial(self._turn.count, usage))


class _ThreadToolCall:
    """A `BlockingToolCall` over a `ToolCall`."""

    def __init__(self, call: ToolCall, calls: Calls) -> None:
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
