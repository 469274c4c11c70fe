"""From the word after `--agent` to something that runs turns."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

import msgspec

from placet.actors.agents.blocking import BlockingTurn
from placet.actors.agents.demo import demo
from placet.actors.agents.marks import is_replayable
from placet.actors.agents.model import AgentSettings
from placet.actors.agents.turn import Turn
from placet.actors.protocol.errors import StartRefused

BUILT_IN: Mapping[str, Callable[..., Any]] = MappingProxyType({"demo": demo})
"""The agents that have a name of their own and need no settings."""

_NO_SETTINGS = AgentSettings()


class Agent(msgspec.Struct, frozen=True):
    """What answers the inputs of every session.

    Attributes:
        name: the word by which it was asked for.
        function: `async def (turn: Turn)`, or a plain function of a `BlockingTurn`; either gives a text or `None`.
        blocking: it is a plain function and needs a thread.
        replayable: it may be run again after a crash, with its finished steps answered from the journal.
        lifespan: opens what it needs as long as the server runs, such as connections. A callable object that is an agent brings
            its own by a method of this name.
    """

    name: str
    function: Callable[..., Any]
    blocking: bool
    replayable: bool
    lifespan: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


AnyAgent: TypeAlias = Agent | Callable[[Turn], Awaitable[str | None]] | Callable[[BlockingTurn], str | None]
"""What can run a turn: a loaded agent, or a function, async or plain."""


def load_agent(spec: str, settings: AgentSettings = _NO_SETTINGS) -> Agent:
    """The agent that `spec` names: `demo`, `openai`, or `package.module:name`, also `package.module:object.attribute`.

    Modules are found as `python` itself finds them, the current directory first.

    Args:
        spec: its name.
        settings: what the operator says to `openai`.

    Raises:
        StartRefused: there is no such module or name, it is nothing that could run a turn, or its import fails. The message says
            what to do.
    """
    if spec in BUILT_IN:
        return _agent(spec, BUILT_IN[spec])
    if spec == "openai":
        return _agent(spec, _model_agent(settings))
    module_name, colon, path = spec.partition(":")
    if not (module_name and colon and path):
        raise StartRefused(
            f"There is no agent {spec!r}. Built in: {', '.join(BUILT_IN)}, openai. Your own is named as package.module:function."
        )
    function: Any = import_module(module_name)
    for name in path.split("."):
        try:
            function = getattr(function, name)
        except AttributeError:
            raise StartRefused(f"The agent {spec!r} does not exist: {module_name} has no {path!r}.") from None
    _check(spec, function)
    return _agent(spec, function)


def as_agent(agent: AnyAgent) -> Agent:
    """A loaded agent as it is; a function, or a callable object, as an agent of its own name.

    Raises:
        StartRefused: it is nothing that could run a turn.
    """
    if isinstance(agent, Agent):
        return agent
    name = getattr(agent, "__name__", type(agent).__name__)
    _check(name, agent)
    return _agent(name, agent)


def _agent(name: str, function: Callable[..., Any]) -> Agent:
    blocking = not _runs_as(inspect.iscoroutinefunction, function)
    lifespan = getattr(function, "lifespan", nullcontext)
    return Agent(name, function, blocking=blocking, replayable=is_replayable(function), lifespan=lifespan)


def _model_agent(settings: AgentSettings) -> Callable[..., Any]:
    from placet.actors.agents.model.agent import ModelAgent  # an HTTP client that others need not wait for

    return ModelAgent(settings)


def import_module(name: str) -> ModuleType:
    """The module of that name, the current directory searched first.

    Raises:
        StartRefused: there is none, or its import fails. The message says what to do.
    """
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise StartRefused(
                f"There is no module {error.name!r}. Start the server in the directory that holds it, or install it."
            ) from None
        raise StartRefused(f"The module {name!r} needs {error.name!r}, which is not installed.") from error
    except (Exception, SystemExit) as error:  # somebody else's code: it may raise anything
        raise StartRefused(
            f"The module {name!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _check(spec: str, function: Any) -> None:
    """Refuse what could not run a turn.

    Raises:
        StartRefused: with the reason.
    """
    if not callable(function):
        raise StartRefused(
            f"The agent {spec!r} is a {type(function).__name__}; name a function or a callable object."
        )
    if inspect.isclass(function):
        raise StartRefused(f"The agent {spec!r} is a class; name a function or an object of the class.")
    if _runs_as(inspect.isgeneratorfunction, function) or _runs_as(inspect.isasyncgenfunction, function):
        raise StartRefused(f"The agent {spec!r} yields; call turn.say(text) instead.")
    try:
        signature = inspect.signature(function)
    except ValueError:  # written in C and silent about what it takes
        return
    try:
        signature.bind(object())
    except TypeError:
        raise StartRefused(
            f"The agent {spec!r} must be callable with one argument, the turn; it takes {signature}."
        ) from None


def _runs_as(test: Callable[[Any], bool], function: Any) -> bool:
    """Whether `test` holds for the code that runs when `function` is called: its own, or its class's `__call__`."""
    return test(function) or test(type(function).__call__)
