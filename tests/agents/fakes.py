"""A turn without a session: it writes down what the agent does and answers from a script."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import trio

from placet.actors.agents.loading import AnyAgent, as_agent
from placet.actors.agents.turn import Surroundings, ToolCall
from placet.actors.guard import Policy
from placet.actors.protocol.approvals import ALL_CHOICES, ApprovalStatus, Choice, Decision
from placet.actors.protocol.conversation import ChatMessage, FinishReason, Part, Settings, Usage
from placet.actors.protocol.limits import Limits

APPROVED = Decision(choice="once", outcome=ApprovalStatus.APPROVED, decided_by="api")
DENIED = Decision(choice="deny", outcome=ApprovalStatus.DENIED, reason="not today", decided_by="api")
EXPIRED = Decision(choice=None, outcome=ApprovalStatus.EXPIRED)

LIMITS = Limits()

Answer = Decision | Callable[[], Decision]


class FakeToolCall:
    """The call that a `FakeTurn` lends to its agent."""

    def __init__(self, turn: FakeTurn, call_id: str, *, replayed: bool, result: Any) -> None:
        self.call_id = call_id
        self.mark = f"mark of {call_id}"
        self.replayed = replayed
        self.result = result
        self.failed = False
        self._turn = turn

    async def progress(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self._turn.events.append(("progress", text))

    def finish(self, result: Any, *, failed: bool = False) -> None:
        self.result = result
        self.failed = failed


class FakeTurn:
    """A `Turn` that records `events` in order: tuples that begin with their kind.

    Args:
        text: the user's.
        workspace: where commands run.
        answers: what is decided, in order; past them a prompt waits for ever. A function is called when its prompt is shown.
        steps: results of steps that a journal already holds, in order.
        tools: the same for tool calls.
    """

    generation = 1
    history: tuple[ChatMessage, ...] = ()
    settings = Settings()
    system = ""

    def __init__(
        self,
        text: str = "",
        *,
        workspace: str = "/",
        answers: tuple[Answer, ...] = (),
        steps: tuple[Any, ...] = (),
        tools: tuple[Any, ...] = (),
        limits: Limits = LIMITS,
        session_id: str = "s",
    ) -> None:
        self.input = text
        self.content = ChatMessage(role="user", content=(Part(type="text", text=text),))
        self.session_id = session_id
        self.surroundings = Surroundings(workspace=workspace, limits=limits, policy=Policy())
        self.events: list[tuple[Any, ...]] = []
        self.kept: list[ChatMessage] = []
        self.finish_reason: FinishReason = "stop"
        self.asked = trio.Event()
        self._answers = deque(answers)
        self._steps = deque(steps)
        self._tools = deque(tools)

    @property
    def said(self) -> str:
        return "".join(event[1] for event in self.events if event[0] == "say")

    def kinds(self) -> list[str]:
        """What happened, in order, without what it was."""
        return [event[0] for event in self.events]

    def asks(self) -> list[dict[str, Any]]:
        """Every prompt that was shown."""
        return [event[1] for event in self.events if event[0] == "ask"]

    async def say(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self.events.append(("say", text))

    async def think(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self.events.append(("think", text))

    @asynccontextmanager
    async def tool(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> AsyncIterator[ToolCall]:
        replayed = bool(self._tools)
        call = FakeToolCall(
            self, call_id or "made-up", replayed=replayed, result=self._tools.popleft() if replayed else None
        )
        if not replayed:
            self.events.append(("start", name, dict(arguments)))
        try:
            yield call
        except BaseException as error:
            self.events.append(("end", type(error), True))
            raise
        if not replayed:
            self.events.append(("end", call.result, call.failed))

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
        ask = {
            "command": command,
            "description": description,
            "pattern_key": pattern_key,
            "tool": tool,
            "arguments": arguments,
            "directory": directory,
            "files": files,
            "choices": choices,
            "timeout_s": timeout_s,
        }
        self.events.append(("ask", ask))
        self.asked.set()
        if not self._answers:
            await trio.sleep_forever()
        await trio.lowlevel.checkpoint()
        answer = self._answers.popleft()
        return answer if isinstance(answer, Decision) else answer()

    def cut(self, reason: FinishReason) -> None:
        self.finish_reason = reason

    async def keep(self, message: ChatMessage) -> None:
        await trio.lowlevel.checkpoint()
        self.kept.append(message)

    async def delegate(self, agent: AnyAgent, text: str, *, call_id: str | None = None) -> str:
        self.events.append(("delegate", as_agent(agent).name, text, call_id))
        return str(await as_agent(agent).function(FakeTurn(text)))

    async def step(self, name: str, function: Callable[[], Awaitable[Any]], *, wait: bool = True) -> Any:
        if self._steps:
            self.events.append(("replayed", name))
            return self._steps.popleft()
        result = await function()
        self.events.append(("step", name, result))
        return result

    def count(self, usage: Usage) -> None:
        self.events.append(("count", usage))
