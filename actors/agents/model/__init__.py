"""The agent that talks to a model: any that speaks streaming chat completions.

`settings` is what an operator says of it. `client` asks the model (`stream` puts the answer together, `wire` are the words);
`messages` and `context` are what it is asked with; `agent` is the turn.
"""

from placet.actors.agents.model.settings import AgentSettings, McpServer, ModelConfig, Sandbox

__all__ = ["AgentSettings", "McpServer", "ModelConfig", "Sandbox"]
