"""A child: another agent that a turn runs inside itself.

It has no admission of its own. What it does is recorded as its turn's doing, under the same generation, and ends when the turn is
stopped. Its parent shows a tool named `delegate`, whose call id is the child's path; the path is the scope of the child's steps in
the journal too. So after a crash a child that had ended is answered from the journal, and one that had not is run again and finds
its steps there. Nobody is asked about it as about another tool: how far it came is known.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final

import trio
from msgspec.structs import replace

from placet.actors.agents import DELEGATE, ChildFailed, as_agent, run_agent
from placet.actors.protocol.conversation import ChatMessage, Part
from placet.actors.protocol.errors import PlacetError
from placet.actors.session.speech import Speech, whole
from placet.actors.session.toolcall import SessionToolCall
from placet.actors.session.turn import SessionTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from placet.actors.agents import Agent, AnyAgent
    from placet.actors.protocol.conversation import Usage

logger: Final = logging.getLogger("placet.session")

DEPTH_MAX = 4
"""How deep children may have children. Four: a person can still tell from its path who asks; and an agent that delegates to itself
without end is stopped before it costs much."""


async def delegate(parent: SessionTurn, agent: AnyAgent, text: str, call_id: str | None) -> str:
    """Run a child to its end. See `placet.actors.agents.Turn.delegate`.

    Args:
        parent: the turn that it is part of; it may be a child itself.
        agent: what runs.
        text: what it is asked.
        call_id: the model's id of the call that asks for it, if one does.

    Returns:
        All that it said.

    Raises:
        ChildFailed: how it failed, now or before a crash, or why it was not begun.
    """
    runs, text = as_agent(agent), whole(text)
    _check_allowed(parent, runs)
    arguments = {"agent": runs.name, "input": text}
    step = parent.journal.visit("tool", DELEGATE, arguments, call_id=call_id)
    known = parent.journal.find(step)
    path = None if known is None else known.call_id
    if path is None:
        path = parent.journal.name_child(f"{parent.path}/{re.sub('[/#]', '_', runs.name)}")
    async with _DelegateCall(parent, step, path, DELEGATE, arguments, known) as call:
        if call.replayed:
            parent.journal.within(path).skip()
        else:
            await _run(ChildTurn(parent, call, text), runs, call)
    return _text_of(call.result)


def _check_allowed(parent: SessionTurn, agent: Agent) -> None:
    """Say why `agent` may not run inside `parent`.

    Raises:
        ChildFailed: `delegation_too_deep`, or `child_not_replayable`.
    """
    if parent.path.count("/") >= DEPTH_MAX:
        raise ChildFailed(
            f"The agent {parent.path!r} is {DEPTH_MAX} levels below the turn's own; it may not delegate further.",
            code="delegation_too_deep",
        )
    if parent.services.agent.replayable and not agent.replayable:
        raise ChildFailed(
            f"The turn may be run again after a crash, so the agent {agent.name!r} must be marked replayable too.",
            code="child_not_replayable",
        )


async def _run(child: ChildTurn, agent: Agent, call: SessionToolCall) -> None:
    """Run the agent and say how it ended, in a form in which its parent gets the same after a crash."""
    try:
        call.finish(await child.run(agent))
    except PlacetError as error:
        call.finish({"error": error.message, "code": error.code}, failed=True)
    except Exception:  # the agent boundary: whatever an agent raises fails it, and its parent goes on
        logger.exception("the agent %s failed in %s", child.path, child.session_id)
        words = f"The agent {agent.name!r} raised an error; the server's log tells more."
        call.finish({"error": words, "code": "agent_failed"}, failed=True)


def _text_of(result: Any) -> str:
    """What a child's result is to its parent.

    Raises:
        ChildFailed: the child did.
    """
    if isinstance(result, str):
        return result
    raise ChildFailed(result["error"], code=result["code"])


class _DelegateCall(SessionToolCall):
    """The tool call that shows a child."""

    async def _retry(self, started: int) -> bool:  # noqa: ARG002 - nobody is asked about it
        await trio.lowlevel.checkpoint()
        return True  # the child's own steps say what it had done


class ChildTurn(SessionTurn):
    """Implements `placet.actors.agents.Turn` for a child.

    Args:
        parent: the turn that it is part of.
        call: as what it is shown there.
        text: what it is asked.
    """

    def __init__(self, parent: SessionTurn, call: SessionToolCall, text: str) -> None:
        super().__init__(
            parent.context,
            parent.services,
            parent.claimed,
            replace(parent.asked, content=ChatMessage("user", (Part("text", text),)), history=()),
            (),
            parent.journal.within(call.call_id),
            Speech(),
            parent.stopwatch,
        )
        self.path = call.call_id
        self.outbox = parent.outbox  # one turn, one order of events
        self.left = parent.left
        self._parent = parent
        self._call = call

    async def run(self, agent: Agent) -> str:
        """Run `agent` to its end.

        Returns:
            All that it said.

        Raises:
            PlacetError: `no_thread_free`, `replay_diverged`, or what the turn's methods raise.
            Exception: whatever the agent raised.
        """
        said = await (
            run_agent(agent, self, self._take_thread()) if agent.blocking else run_agent(agent, self)
        )
        if said:
            await self.say(said)
        if self.finish_reason != "stop":
            await self.say(f"\n[This answer was cut: {self.finish_reason}.]")
        self.journal.check_all_visited()
        return self.speech.text

    def _take_thread(self) -> Callable[[], None]:
        """A thread, at once or never: all that hold one could wait for one more, for ever."""
        room = self.services.room
        if not room.has_thread:
            raise PlacetError("No thread is free to run another agent.", code="no_thread_free")
        return room.hold_thread()

    async def say(self, text: str) -> None:
        """Add to what the parent is given, and show it as progress."""
        self.speech.say(text)
        await self._show(text)

    async def think(self, text: str) -> None:
        """Show a thought as progress: it is none of the parent's."""
        await self._show(text)

    async def _show(self, text: str) -> None:
        if self.journal.is_replaying:  # it was shown before the step that is still to come
            await trio.lowlevel.checkpoint()
        else:
            await self._call.progress(text)

    async def keep(self, message: ChatMessage) -> None:  # noqa: ARG002 - as the interface has it
        """Nothing: what the conversation has of a child is what its parent was given."""
        await trio.lowlevel.checkpoint()

    def take_steering(self) -> tuple[str, ...]:
        """Nothing: what people tell the turn is for the agent that they talk to."""
        return ()

    def count(self, usage: Usage) -> None:
        """Add a model call's tokens to the turn's."""
        self._parent.count(usage)
