"""The agent `openai` without its mark: it may not be run again. It asks the model at `MODEL_URL`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from placet.actors.agents.model import AgentSettings, ModelConfig
from placet.actors.agents.model.agent import ModelAgent

if TYPE_CHECKING:
    from placet.actors.agents import Turn


class OpaqueModelAgent:
    """Hides the mark of the agent that it calls."""

    def __init__(self) -> None:
        model = ModelConfig(name="fake", base_url=os.environ["MODEL_URL"])
        self._agent = ModelAgent(AgentSettings(models=(model,)))
        self.lifespan = self._agent.lifespan

    async def __call__(self, turn: Turn) -> None:
        await self._agent(turn)


opaque = OpaqueModelAgent()
