"""The settings of a server and where they come from: flags over environment over file."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import shutil
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from placet.actors.agents import MARK, AgentSettings, McpServer, ModelConfig, Sandbox
from placet.actors.agents.model.settings import TURN_STEPS, TURN_TOKENS, Name, Url
from placet.actors.protocol import faults
from placet.actors.protocol.limits import Limits, Positive, Seconds
from placet.http.api_key import key_weakness
from placet.http.config_sources import Setting, from_environment, from_file, from_flags
from placet.http.dialect import Dialect
from placet.http.hooks.settings import WebhookConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

API_PRINCIPAL: Final = "api"
"""The principal of the one key that every server has."""

_ORIGIN = re.compile(r"\*|https?://[^\s/?#@,*]+")


class Role(Enum):
    """What a principal may do.

    `CLIENT`: submit, and read what it submitted itself. `APPROVER`: also see everything and decide. `OPERATOR`: everything.
    """

    CLIENT = "client"
    APPROVER = "approver"
    OPERATOR = "operator"


class PrincipalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[principal]]` of the file.

    Attributes:
        name: who it is, in the ledger and the audit.
        key_sha256: the SHA-256 of its key in hex. The keys themselves are random and long, so a plain hash tells nothing.
        role: what it may do.
        approvals: the dialect of its chat streams, where its requests do not say.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$")]
    key_sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-fA-F]{64}$")]
    role: Role = Role.CLIENT
    approvals: Dialect | None = None


class GuardConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's own rules for commands, `[guard]` in the file. `deny` beats `ask`, and that beats `allow`.

    A rule is written like a command, and holds for the program that would run, however the line spells it.

    Attributes:
        deny: refused, and no choice is offered. Every word of the rule must be there, in any order and among others.
        ask: a person is asked; matched in the same way.
        allow: runs without a question. Exactly these arguments in this order; `*` stands for any text inside a word, and as the
            last word for any further arguments.
    """

    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


def default_data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`$XDG_DATA_HOME/placet`, or `~/.local/share/placet` if that is unset or, as its specification says, not absolute."""
    base = Path(environ.get("XDG_DATA_HOME", ""))
    home = Path(environ.get("HOME") or Path.home())
    return (base if base.is_absolute() else home / ".local" / "share") / "placet"


class Config(Limits, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings of one server; the limits are settings like the others.

    Made by `load_config`, which also checks what a type alone cannot say.

    Attributes:
        host: the address to listen on.
        port: the port; 0 takes a free one.
        data_dir: where the database, the lock and the key lie.
        agent: `demo`, `openai`, or `package.module:name`.
        workspace: the directory that tools work in.
        no_auth: whether requests need no key; only on a loopback address.
        api_key: the key of the principal `api`; without it the one in the data directory counts.
        cors_origins: the origins whose pages may call, `*` for all.
        public_url: where people reach the server from outside, such as `https://placet.example.org`, for the links that they are
            sent; by default where it listens.
        answer_link_s: how long an answer link is good, never longer than its prompt. A quarter of an hour: it is for whoever is
            called now, and lies in other people's chat rooms afterwards.
        webhook: who outside is told of what happens, each a `[[webhook]]` of the file.
        recovery: what happens to a turn of an agent that cannot be replayed when its process was lost: `resume` leaves it
            unknown until a person says so, `interrupt` settles it at once.
        approver_not_requester: whether nobody may decide about what they submitted themselves. Then deciding takes a second
            principal.
        body_bytes: what a request's body may have. 10 MB: a long conversation with a few pictures.
        heartbeat_s: pause after which an idle stream shows a sign of life. Proxies begin to cut at 30 s.
        ask_timeout_s: how long a request waits for its session.
        send_timeout_s: how long one write to a client may take.
        head_timeout_s: how long a request's head may take to arrive.
        body_timeout_s: how long a body may pause while it arrives.
        principal: further principals.
        guard: rules for commands.
        model_base_url: of the OpenAI-compatible API that the agent `openai` asks, up to and with `/v1`.
        model_api_key: the provider's key, if it wants one.
        model: the model's name at that provider; or which of `models` is used where a request selects none.
        models: further models, each a `[[model]]` of the file.
        tools: what the model may call: `builtin`, or modules that define tools.
        mcp: servers of the Model Context Protocol that bring more tools, each an `[[mcp]]` of the file.
        delegates: agents that the model may give work to by the tool `delegate`: names of models, or agents as `agent` names them.
        turn_steps: model calls of one turn. A long task needs some tens.
        turn_tokens: tokens of one turn, read and written; 0 does not limit them.
        sandbox: whether bubblewrap confines the terminal's commands to the workspace.
    """

    host: Annotated[str, msgspec.Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8642
    data_dir: Path = msgspec.field(default_factory=default_data_dir)
    agent: Annotated[str, msgspec.Meta(pattern=r"^(demo|openai|[A-Za-z_][\w.]*:[A-Za-z_]\w*)$")] = "demo"
    workspace: Path = msgspec.field(default_factory=Path.cwd)
    no_auth: bool = False
    api_key: str | None = None
    cors_origins: tuple[str, ...] = ()
    public_url: Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/?#@,*]+$")] | None = None
    answer_link_s: Seconds = 900.0
    webhook: tuple[WebhookConfig, ...] = ()
    recovery: Literal["resume", "interrupt"] = "resume"
    approver_not_requester: bool = False
    body_bytes: Positive = 10_000_000
    heartbeat_s: Seconds = 10.0
    ask_timeout_s: Seconds = 30.0
    send_timeout_s: Seconds = 10.0
    head_timeout_s: Seconds = 30.0
    body_timeout_s: Seconds = 30.0
    principal: tuple[PrincipalConfig, ...] = ()
    guard: GuardConfig = GuardConfig()
    model_base_url: Url | None = None
    model_api_key: str | None = None
    model: Name | None = None
    models: tuple[ModelConfig, ...] = ()
    tools: tuple[str, ...] = ("builtin",)
    mcp: tuple[McpServer, ...] = ()
    delegates: tuple[str, ...] = ()
    turn_steps: Positive = TURN_STEPS
    turn_tokens: Annotated[int, msgspec.Meta(ge=0)] = TURN_TOKENS
    sandbox: Sandbox = "off"

    @property
    def limits(self) -> Limits:
        """The limits alone, for those who need no other setting."""
        return Limits(**{name: getattr(self, name) for name in Limits.__struct_fields__})

    @property
    def reached_at(self) -> str:
        """Where people reach the server, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def confined(self) -> bool:
        """Whether the terminal's commands are confined to the workspace."""
        return self.sandbox == "workspace"

    @property
    def agent_settings(self) -> AgentSettings:
        """What the built-in agents are told."""
        models = self.models
        if self.model_base_url is not None and self.model is not None:
            first = ModelConfig(name=self.model, base_url=self.model_base_url, api_key=self.model_api_key)
            models = (first, *models)
        return AgentSettings(
            models=tuple(sorted(models, key=lambda each: each.name != self.model)),
            tools=self.tools,
            mcp=self.mcp,
            delegates=self.delegates,
            turn_steps=self.turn_steps,
            turn_tokens=self.turn_tokens,
        )

    def __repr__(self) -> str:
        """All settings but the keys, so that no log and no traceback ever shows one."""
        shown = {name: getattr(self, name) for name in self.__struct_fields__ if name not in _SECRET}
        return f"Config({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def load_config(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None) -> Config:
    """The settings in force.

    Args:
        flags: by setting's name; `None` means that the flag was not given.
        environ: the process's environment. A setting's variable is `PLACET_` and its name in capitals; lists are comma
            separated, booleans `true`, `false`, `1` or `0`; an empty variable counts as unset.
        file: a TOML file, or `None`.

    Returns:
        The settings, with absolute paths; relative ones count from the current directory, `~` is the home.

    Raises:
        StartRefused: `invalid_config`. The message names the setting and the flag, variable or line that it came from, and
            never repeats a key.
    """
    settings = _models_apart(from_file(file)) | from_environment(environ, _VARIABLES) | from_flags(flags)
    values: dict[str, Any] = {"data_dir": default_data_dir(environ)}
    values |= {name: _convert(setting) for name, setting in settings.items()}
    config = Config(**values)
    _check(config, settings)
    return msgspec.structs.replace(
        config,
        data_dir=config.data_dir.expanduser().absolute(),
        workspace=config.workspace.expanduser().resolve(),
        webhook=_webhooks(config, settings, environ),
    )


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The `PLACET_` variables that name no setting, to warn about: most likely one was misspelt."""
    known = {*_VARIABLES, faults.VARIABLE, MARK}
    return tuple(sorted(name for name in environ if name.startswith("PLACET_") and name not in known))


_IN_FILE_ONLY = frozenset({"principal", "guard", "models", "mcp", "webhook"})
_SECRET = frozenset({"api_key", "model_api_key"})
_LISTS = frozenset({"cors_origins", "tools", "delegates"})
_VARIABLES: Final = {
    f"PLACET_{name.upper()}": name for name in Config.__struct_fields__ if name not in _IN_FILE_ONLY
}


def _models_apart(settings: dict[str, Setting]) -> dict[str, Setting]:
    """In a file `model` is a name, or the header of tables, which are the setting `models`."""
    model = settings.get("model")
    if model is None or not isinstance(model.value, list):
        return settings
    others = {name: setting for name, setting in settings.items() if name != "model"}
    return others | {"models": msgspec.structs.replace(model, name="models")}


def _convert(setting: Setting) -> Any:
    """The setting's value in its own type. Converted as a whole configuration of one field, so that the path comes out right."""
    value = setting.value
    if setting.textual and setting.name in _LISTS:
        value = [item.strip() for item in value.split(",") if item.strip()]
    try:
        config = msgspec.convert({setting.name: value}, Config, strict=not setting.textual, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise setting.refused(str(error).replace("`$.", "`")) from None
    converted = getattr(config, setting.name)
    if isinstance(converted, float) and not math.isfinite(converted):
        raise setting.refused("Expected a finite number")
    return converted


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    if kind is Path and isinstance(value, Path):
        return value
    raise ValueError("Expected a path")


def _check(config: Config, settings: Mapping[str, Setting]) -> None:
    """What a type cannot say. A default passes every one of these, so what fails has a setting to blame."""
    if config.api_key is not None and (weakness := key_weakness(config.api_key)):
        raise settings["api_key"].refused(f"The key is too weak: {weakness}")
    if config.no_auth and not _is_loopback(config.host):
        raise settings["no_auth"].refused("Without keys the server may listen on a loopback address only")
    if not config.workspace.expanduser().is_dir():
        raise settings["workspace"].refused("There is no such directory")
    if not all(_ORIGIN.fullmatch(origin) for origin in config.cors_origins):
        raise settings["cors_origins"].refused(
            "Expected `*` or origins such as `https://example.org`, without a path"
        )
    _check_models(config, settings)
    _check_mcp(config, settings)
    if config.confined and shutil.which("bwrap") is None:
        raise settings["sandbox"].refused("It needs bubblewrap, whose command bwrap is not installed")
    names = [API_PRINCIPAL, *(principal.name for principal in config.principal)]
    if len(set(names)) < len(names):
        raise settings["principal"].refused(f"Each name may stand once, and `{API_PRINCIPAL}` is taken")
    digests = [principal.key_sha256.lower() for principal in config.principal]
    if len(set(digests)) < len(digests):
        raise settings["principal"].refused("Two principals have the same key")


def _check_models(config: Config, settings: Mapping[str, Setting]) -> None:
    names = [model.name for model in config.agent_settings.models]
    if len(set(names)) < len(names):
        raise settings["models"].refused("Each model's name may stand once")
    if config.model_base_url is not None and config.model is None:
        raise settings["model_base_url"].refused("Also say which `model` to ask there")
    if config.model is not None and config.model not in names:
        raise settings["model"].refused(
            "There is no `model_base_url` to ask for it, and no [[model]] of this name"
        )


def _check_mcp(config: Config, settings: Mapping[str, Setting]) -> None:
    if any(bool(server.command) == (server.url is not None) for server in config.mcp):
        raise settings["mcp"].refused("Each server has either a `command` or a `url`")
    names = [server.name for server in config.mcp]
    if len(set(names)) < len(names):
        raise settings["mcp"].refused("Each server's name may stand once")


def _webhooks(
    config: Config, settings: Mapping[str, Setting], environ: Mapping[str, str]
) -> tuple[WebhookConfig, ...]:
    """The webhooks with their secrets, which is the last that is read."""
    roles = {API_PRINCIPAL: Role.OPERATOR} | {each.name: each.role for each in config.principal}
    if len({hook.name for hook in config.webhook}) < len(config.webhook):
        raise settings["webhook"].refused("Each webhook's name may stand once")
    for hook in config.webhook:
        role = roles.get(hook.principal)
        if role is None:
            raise settings["webhook"].refused(f"There is no principal `{hook.principal}`")
        if hook.answer_link and role is Role.CLIENT:
            raise settings["webhook"].refused(
                f"`{hook.name}` gets no answer links, as its principal may not decide"
            )
    try:
        return tuple(hook.with_secrets(environ) for hook in config.webhook)
    except ValueError as error:
        raise settings["webhook"].refused(str(error)) from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
