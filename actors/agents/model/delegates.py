"""The agents that a model may give work to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.agents.loading import Agent, load_agent
from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from placet.actors.agents.model.settings import AgentSettings, ModelConfig
    from placet.actors.agents.turn import Turn


def load_delegates(
    settings: AgentSettings, ask: Callable[[Turn, ModelConfig], Awaitable[None]]
) -> Mapping[str, Agent]:
    """The agents of the setting `delegates`, by the words there.

    Args:
        settings: with the words: each is the name of a configured model, or an agent as `--agent` names it.
        ask: runs a turn with a model.

    Raises:
        StartRefused: one cannot be loaded, or may not be run again after a crash as its parent may.
    """
    models = {model.name: model for model in settings.models}
    return {
        word: _with_model(models[word], ask) if word in models else _loaded(word)
        for word in settings.delegates
    }


def _with_model(model: ModelConfig, ask: Callable[[Turn, ModelConfig], Awaitable[None]]) -> Agent:
    async def function(turn: Turn) -> None:
        """A model with the same tools."""
        await ask(turn, model)

    return Agent(model.name, function, blocking=False, replayable=True)


def _loaded(word: str) -> Agent:
    agent = load_agent(word)
    if not agent.replayable:
        raise StartRefused(
            f"The agent {word!r} cannot be delegated to: the turn that asks it may be run again after a crash, so it must be "
            "marked replayable too.",
            param="delegates",
        )
    return agent
