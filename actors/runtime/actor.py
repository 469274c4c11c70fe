"""What an actor is, and what it is given."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from placet.actors.protocol.messages import Message, Notice, Request
    from placet.actors.runtime.reply import Reply

R = TypeVar("R")
PosArgs = TypeVarTuple("PosArgs")


class Deferred(enum.Enum):
    """The type of `DEFERRED`."""

    DEFERRED = "deferred"


# What a handler returns when it has kept the reply, or has answered through it: there is nothing for the runtime to answer.
DEFERRED: Final = Deferred.DEFERRED


class Actor(Protocol):
    """Something that handles one message at a time and keeps its state to itself.

    All its methods run in one task, except what it starts by `ActorContext.start_soon`.
    """

    async def recover(self) -> None:
        """Load the state. Runs once, before the first message; messages wait in the inbox meanwhile.

        Any error is a crash of the actor: the messages that waited fail with `ActorStopped`.
        """
        ...

    async def handle(self, message: Message, reply: Reply[Any]) -> object:
        """Handle one message.

        It may await the store and nothing slower: while it does, every other message waits. What takes time belongs into a
        child task, which reports back through the inbox.

        Args:
            message: a request or a notice.
            reply: where the answer goes; for a notice, a reply that nobody reads.

        Returns:
            The answer, or `DEFERRED` if the handler keeps `reply` to answer it later or has answered through it.
            What it returns for a notice is dropped.

        Raises:
            PlacetError: the answer is this error; the actor goes on.
            Exception: the actor has crashed. The asker, and all who wait, get `ActorStopped`.

        It may be cancelled at any await, when the registry closes or a child crashes; the runtime then answers the asker.
        """
        ...

    def is_quiet(self) -> bool:
        """Whether the actor may be put to rest: nothing runs, waits or subscribes.

        Asked only between messages, with the inbox empty, no child task and no open reply.
        """
        ...


class ActorContext(Protocol):
    """One activation of an actor, as the actor sees it. The factory is given one for each activation.

    `ask` and `tell` are for the actor's child tasks and reach this activation only: a child that outlives its purpose can never
    wake a successor.
    """

    @property
    def key(self) -> str:
        """The key under which the registry knows the actor."""
        ...

    def start_soon(
        self,
        fn: Callable[[*PosArgs], Awaitable[object]],
        *args: *PosArgs,
        name: str | None = None,
    ) -> None:
        """Start a child task. It is cancelled when the actor ends, and its error is the actor's crash.

        An actor with a child task is at work: it is not put to rest.

        Args:
            fn: an async function, called with `args`.
            name: what the task tree shows; the function's own name if not given.
        """
        ...

    async def ask(self, request: Request[R], *, timeout_s: float | None = None) -> R:
        """Ask the actor from one of its children, waiting for room in the inbox. Always a checkpoint.

        Args:
            request: names the type of its answer.
            timeout_s: seconds to wait; without it as long as the actor lives, which may be an approval's hour.

        Raises:
            AskTimedOut: no answer within `timeout_s`.
            ActorStopped: the actor ended first.
            PlacetError: whatever the handler answered with.
            RuntimeError: called from the actor's own handler, which would wait for itself.

        Cancelled, the request is skipped if it was not begun; if it was, its answer is dropped.
        """
        ...

    async def tell(self, notice: Notice) -> None:
        """Tell the actor from one of its children, waiting for room in the inbox. A checkpoint only if it waits.

        Raises:
            ActorStopped: the actor ended first.
            RuntimeError: called from the actor's own handler; that is what `post_nowait` is for.

        Cancelled, nothing was told.
        """
        ...

    def post_nowait(self, notice: Notice) -> None:
        """Put `notice` at the end of the inbox, room or not. For the actor's handlers and timers.

        It neither waits nor fails. Only the end of the actor keeps the notice from being handled; it is counted then.
        """
        ...

    def on_end(self, fn: Callable[[], object]) -> None:
        """Call `fn` when this activation ends, however it ends, once its loop and its children are done.

        For what the actor handed out and nobody else would close, such as its broadcast.

        Args:
            fn: synchronous. It replaces the one given before; an error in it is logged and goes no further.
        """
        ...
