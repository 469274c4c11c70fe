"""The agent `openai`: it asks a model, runs the tools that the model calls, gives it the results, until it is done."""

from __future__ import annotations

from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.agents.marks import replayable
from placet.actors.agents.mcp import Bench
from placet.actors.agents.model.calls import run_calls
from placet.actors.agents.model.client import ModelClient
from placet.actors.agents.model.context import fitted
from placet.actors.agents.model.delegates import load_delegates
from placet.actors.agents.model.messages import honoured, of_answer, of_result, opening, steered, worded
from placet.actors.agents.model.stream import CUT
from placet.actors.agents.model.wire import Answer, Delta
from placet.actors.agents.tools.delegating import delegate_tool
from placet.actors.agents.tools.load import load_tools
from placet.actors.protocol.errors import PlacetError, StartRefused
from placet.actors.protocol.faults import Point, reach

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from placet.actors.agents.model.settings import AgentSettings, JsonObject, ModelConfig
    from placet.actors.agents.turn import Turn
    from placet.actors.protocol.conversation import ChatMessage

INSTRUCTIONS = (
    "You work in the directory {workspace} with the tools that you are given. Some of what they do needs the consent of a person, "
    "who is asked for it by the tools themselves; you need not ask before. Where consent is refused, do not try to reach the same "
    "in another way: say what you could not do."
)


class ModelAgent:
    """Runs turns with a model. One for all sessions of a server; it holds nothing of any turn.

    Args:
        settings: which models, tools and limits.
        client: by which models are asked.

    Raises:
        StartRefused: there is no model, or a tool or an agent to delegate to cannot be loaded.
    """

    def __init__(self, settings: AgentSettings, client: ModelClient | None = None) -> None:
        if not settings.models:
            raise StartRefused(
                "The agent openai needs a model: set PLACET_MODEL_BASE_URL and PLACET_MODEL, and PLACET_MODEL_API_KEY if the "
                "provider wants a key; or a [[model]] in the configuration file."
            )
        self._models = {model.name: model for model in reversed(settings.models)}
        self._default = settings.models[0]
        self._settings = settings
        self._delegates = load_delegates(settings, self._run)
        own = (delegate_tool(self._delegates),) if self._delegates else ()
        self._bench = Bench(load_tools(settings.tools, own), settings.mcp)
        self._client = client or ModelClient()

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None, None]:
        """Hold the connections to models and to servers that bring tools, and what other agents need, while the server runs."""
        async with aclosing(self._client), self._bench.open(), AsyncExitStack() as stack:
            for agent in self._delegates.values():
                await stack.enter_async_context(agent.lifespan())
            yield

    @replayable
    async def __call__(self, turn: Turn) -> None:
        """Run one turn.

        Raises:
            ModelFailed: the model gave no whole answer.
            PlacetError: `too_many_steps`, `too_many_tokens`; and what the turn's own methods raise.
        """
        await self._run(turn, self._models.get(turn.settings.model or "", self._default))

    async def _run(self, turn: Turn, model: ModelConfig) -> None:
        dialogue = _Dialogue(turn, model)
        for _ in range(self._settings.turn_steps):
            for text in turn.take_steering():
                await dialogue.add(steered(text))
            answer = await dialogue.ask(self._client, self._request(turn, model, dialogue.messages))
            if not answer.calls:
                return
            dialogue.check_tokens(self._settings.turn_tokens)
            results = await run_calls(turn, self._bench, answer.calls)
            for call, result in zip(answer.calls, results, strict=True):
                await dialogue.add(of_result(call, result))
        raise PlacetError(
            f"The model was not done after {self._settings.turn_steps} steps.", code="too_many_steps"
        )

    def _request(self, turn: Turn, model: ModelConfig, messages: list[JsonObject]) -> JsonObject:
        request: JsonObject = {
            **honoured(turn.settings),
            "model": model.model or model.name,
            "messages": fitted(messages, model.context_tokens),
            "stream_options": {"include_usage": True},
        }
        if tools := [tool.offer for tool in self._bench.offered()]:
            request["tools"] = tools
        return request


class _Voice:
    """Says what the model says while it says it, behind a gap if the turn has spoken before."""

    def __init__(self, turn: Turn, gap: str) -> None:
        self._turn = turn
        self._gap = gap

    async def say(self, delta: Delta) -> None:
        if delta.thought:
            await self._turn.think(delta.thought)
        if delta.content:
            gap, self._gap = self._gap, ""
            await self._turn.say(gap + delta.content)


class _Dialogue:
    """One turn's exchange with its model.

    Attributes:
        messages: all so far.
    """

    def __init__(self, turn: Turn, model: ModelConfig) -> None:
        instructions = INSTRUCTIONS.format(workspace=turn.surroundings.workspace)
        system = f"{instructions}\n\n{turn.system}" if turn.system else instructions
        self.messages = opening(system, turn.history, turn.content)
        self._turn = turn
        self._model = model
        self._taken = frozenset(call.id for message in turn.history for call in message.tool_calls)
        self._tokens = 0
        self._has_spoken = False

    async def ask(self, client: ModelClient, request: JsonObject) -> Answer:
        """The model's next message: said while it comes, journaled, taken up."""
        voice = _Voice(self._turn, "\n\n" if self._has_spoken else "")
        heard = False

        async def call() -> Any:
            nonlocal heard
            heard = True
            answer = await client.complete(self._model, request, voice.say, self._taken)
            if answer.calls:
                reach(Point.TOOL_CALL_RECEIVED)
            return msgspec.to_builtins(answer)

        # Not waited for: what follows from an answer, a tool or the end, is recorded behind it before it happens.
        answer = msgspec.convert(await self._turn.step("model", call, wait=False), Answer)
        if not heard:  # it is of before a crash
            await voice.say(Delta(content=answer.text, reasoning_content=answer.reasoning))
        self._take(answer)
        if answer.calls:  # before they run: a turn that ends while they do has called them
            await self.add(of_answer(answer))
        return answer

    async def add(self, message: ChatMessage) -> None:
        """Take one more message, here and into the session's conversation."""
        self.messages.append(worded(message))
        await self._turn.keep(message)

    def _take(self, answer: Answer) -> None:
        self._turn.count(answer.usage)
        self._turn.cut(CUT.get(answer.finish_reason, "stop"))
        self._tokens += answer.usage.prompt_tokens + answer.usage.completion_tokens
        self._taken |= {call.id for call in answer.calls}
        self._has_spoken = self._has_spoken or bool(answer.text)

    def check_tokens(self, limit: int) -> None:
        """Refuse to go on past the limit.

        Raises:
            PlacetError: `too_many_tokens`.
        """
        if limit and self._tokens >= limit:
            raise PlacetError(
                f"The turn used {self._tokens} tokens; {limit} are allowed.", code="too_many_tokens"
            )
