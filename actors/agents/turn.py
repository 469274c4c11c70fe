"""What an agent is given: the turn that it runs.

An agent is a plain function. `async def agent(turn: Turn) -> str | None` runs on trio; `def agent(turn: BlockingTurn)` runs in a
thread of its own and finds the same names as blocking calls. What it returns is said, as if by `say`, and ends the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from placet.actors.guard import Policy
from placet.actors.protocol.approvals import ALL_CHOICES, Choice, Decision
from placet.actors.protocol.errors import PlacetError
from placet.actors.protocol.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from placet.actors.agents.loading import AnyAgent
    from placet.actors.protocol.conversation import ChatMessage, FinishReason, Settings, Usage


class Surroundings(msgspec.Struct, frozen=True):
    """Where every turn of a server works.

    Attributes:
        workspace: the absolute directory in which every command starts.
        limits: the bounds in force.
        policy: the operator's rules for commands.
        confined: whether commands run behind a wall that leaves them the workspace alone.
    """

    workspace: str
    limits: Limits
    policy: Policy
    confined: bool = False


class ToolCall(Protocol):
    """A tool that runs, as its agent sees it: `async with turn.tool(...) as call`.

    Attributes:
        call_id: what clients know the call by.
        mark: what processes that the call starts must carry in their environment, so that after a crash they can be found.
        replayed: whether the result is already known from before a crash; then the agent must not run the tool again.
        result: that known result, else `None` until `finish`.
    """

    call_id: str
    mark: str
    replayed: bool
    result: Any

    async def progress(self, text: str) -> None:
        """Show what the tool printed. Waits only if a lot is still unrecorded; never blocks on a slow watcher."""

    def finish(self, result: Any, *, failed: bool = False) -> None:
        """Say what the agent is given. It is recorded when the block ends; a block left by an error records a failure."""


class Turn(Protocol):
    """One turn of a session, from the agent's side.

    Every method that records raises `trio.Cancelled` when the turn is stopped, and `StoreUnavailable` when the disk refuses;
    what was not recorded did not happen.

    Attributes:
        input: the user's text.
        content: the whole user message, images included.
        history: what was said before, oldest first.
        system: system-level text for this turn.
        settings: what the client asked of the model.
        session_id: whose turn it is.
        generation: under which claim it runs.
        surroundings: where it works.
    """

    @property
    def input(self) -> str: ...
    @property
    def content(self) -> ChatMessage: ...
    @property
    def history(self) -> tuple[ChatMessage, ...]: ...
    @property
    def system(self) -> str: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def session_id(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def surroundings(self) -> Surroundings: ...

    async def say(self, text: str) -> None:
        """Add to the answer. It is recorded, then shown; this waits only if a lot is still unrecorded."""

    async def think(self, text: str) -> None:
        """Add to the reasoning that is shown beside the answer."""

    def cut(self, reason: FinishReason) -> None:
        """Say that the answer does not end where it would: a model's limit or its provider's filter cut it."""

    async def keep(self, message: ChatMessage) -> None:
        """Put a message of this turn into the session's conversation, before the one with which the turn ends.

        For what later turns need to know beside the answer: which tools were called, and what they gave. What an assistant's
        message says must have been said, too; the last message holds what is said after it. Never waits; recorded with the rest.
        """

    def tool(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> AbstractAsyncContextManager[ToolCall]:
        """Run a tool inside this block. Its start is on disk before the block is entered, its end when the block is left.

        Args:
            name: the tool's name.
            arguments: what it is called with, as JSON values.
            call_id: the model's own id for the call, by which a replay finds it; made up if not given.
        """
        ...

    async def request_approval(
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
        call_id: str | None = None,
    ) -> Decision:
        """Ask a person whether an action may run, and wait for the answer.

        Args:
            command: what would run, whole; secrets in it are masked wherever it is shown.
            description: why it asks.
            pattern_key: the agent's own word for the kind of danger.
            tool: which tool would run it.
            arguments: of a tool that has no command line; `command` is then only its text.
            directory: where it would run; the workspace if not given.
            files: sha256 by path of the files whose content decides what it does.
            choices: what may be answered.
            timeout_s: how long to wait; the server's setting if not given, 0 for ever.
            call_id: the model's id of the call that asks. Calls that run side by side must give it: by it a replay finds each
                one's question.

        Returns:
            The decision. Only `decision.approved` lets the action run.
        """
        ...

    async def ask(
        self,
        question: str,
        choices: Sequence[str] = (),
        timeout_s: float | None = None,
        *,
        call_id: str | None = None,
    ) -> str | None:
        """Ask a person a question and wait for the answer in words. For consent there is `request_approval`.

        Args:
            question: what is asked, in full; secrets in it are masked.
            choices: the answers to choose from; none if any text will do.
            timeout_s: how long to wait; the server's setting if not given, 0 for ever.
            call_id: the model's id of the call that asks. Calls that run side by side must give it: by it a replay finds each
                one's question.

        Returns:
            The answer; `None` if nobody gave one in time.
        """
        ...

    def take_steering(self) -> tuple[str, ...]:
        """What people told the turn while it ran, since the last call, the oldest first. Never waits.

        What an agent never takes is not lost: it becomes an input of its own when the turn ends, unless that was stopped.
        """
        ...

    async def step(self, name: str, function: Callable[[], Awaitable[Any]], *, wait: bool = True) -> Any:
        """Run `function` once and journal its JSON result; after a crash the result is given without running it again.

        Args:
            name: of the step.
            function: what is done.
            wait: whether to return only when the result is on disk. Without, it is recorded before anything else that the turn
                records, and a crash until then runs `function` again: for one that changes nothing outside.

        Raises:
            PlacetError: `result_too_large` over the limit of 1 MiB, `replay_diverged` if the journal tells another story.
        """

    async def delegate(self, agent: AnyAgent, text: str, *, call_id: str | None = None) -> str:
        """Run another agent inside this turn.

        It has the turn's system text and settings, but no history. What it says is shown as progress of a tool named `delegate`;
        its prompts name its path, such as `root/name#1`, which is that call's id too. The turn's limits hold for it, and a stop
        of the turn ends it. Children may run side by side. Cancelled, its outcome is not recorded.

        Args:
            agent: a function of a turn, async or plain, or a loaded agent, whose `lifespan` is the caller's to open.
            text: what it is asked, as the user's own words.
            call_id: the model's id of the call that asks for it. Calls that run side by side must give it, as above.

        Returns:
            All that it said. After a crash a child that had ended is not run again, and one that had not goes on.

        Raises:
            ChildFailed: the child did, with its code (`agent_failed` for an error of its own); or it was not begun:
                `delegation_too_deep`; `child_not_replayable` if this turn may be run again after a crash and the child may not;
                `no_thread_free`.
            StartRefused: `agent` is nothing that could run a turn.
        """
        ...

    def count(self, usage: Usage) -> None:
        """Add a model call's tokens to the turn's."""


class ChildFailed(PlacetError):
    """An agent that a turn ran inside itself failed, or could not be begun. The turn may go on."""

    default_code = "agent_failed"


class TurnCancelled(BaseException):
    """The turn of this thread was stopped, or is over; whatever the thread asks of it from now on raises this again.

    Not an `Exception`, for the reason that `trio.Cancelled` is none: an agent that logs every error and goes on must still end.
    """
