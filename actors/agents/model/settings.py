"""What an operator says of models, and of what an agent that talks to one may do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from placet.actors.protocol.limits import Positive

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Url = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/?#]+[^\s?#]*$")]

CONTEXT_TOKENS = 100_000
"""What hosted models take today at the least. A model on one's own machine often takes 8 000 and must be told of."""

TURN_STEPS = 50
"""Model calls of one turn. A long task needs some tens; a model that goes round in circles would never end."""

TURN_TOKENS = 2_000_000
"""Tokens of one turn, read and written. Fifty calls with forty thousand tokens of context each."""


class ModelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One model behind an OpenAI-compatible API, a `[[model]]` of the configuration.

    Attributes:
        name: by which requests select it.
        base_url: of the API, up to and with `/v1`.
        api_key: the provider's key, if it wants one.
        model: what the provider calls it; the name if not given.
        context_tokens: how much it can read at once.
    """

    name: Name
    base_url: Url
    api_key: str | None = None
    model: Name | None = None
    context_tokens: Positive = CONTEXT_TOKENS

    def __repr__(self) -> str:
        """All but the key, so that no log and no traceback ever shows it."""
        return f"ModelConfig(name={self.name!r}, base_url={self.base_url!r}, model={self.model!r})"


class McpServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A server of the Model Context Protocol whose tools the agent has, an `[[mcp]]` of the configuration.

    Attributes:
        name: the first part of its tools' names.
        command: how it is started, to be spoken to over its standard streams; or
        url: where it is, over streamable HTTP.
        env: variables that a started server gets beside the few that it inherits.
        headers: sent with every request to one at a URL.
    """

    name: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
    command: tuple[str, ...] = ()
    url: Url | None = None
    env: dict[str, str] = {}
    headers: dict[str, str] = {}

    def __repr__(self) -> str:
        """Without what may hold keys."""
        return f"McpServer(name={self.name!r}, command={self.command[:1]!r}, url={self.url!r})"


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All that the built-in agents are told.

    Attributes:
        models: those that can be asked; the first is used where a request selects none.
        tools: `builtin`, or modules that define tools.
        mcp: servers that bring more.
        delegates: agents that the model may give work to: names of models, or agents as `--agent` names them. Without any there is
            no such tool.
        turn_steps: model calls of one turn.
        turn_tokens: tokens of one turn, as the model counts them; 0 does not limit them.
    """

    models: tuple[ModelConfig, ...] = ()
    tools: tuple[str, ...] = ("builtin",)
    mcp: tuple[McpServer, ...] = ()
    delegates: tuple[str, ...] = ()
    turn_steps: int = TURN_STEPS
    turn_tokens: int = TURN_TOKENS


Sandbox = Literal["off", "workspace"]
"""Whether the terminal's commands are confined to the workspace by bubblewrap."""

JsonObject = dict[str, Any]
