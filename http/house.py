"""The house: everything that lives as long as the server, opened in order and closed in the opposite one."""

from __future__ import annotations

import logging
import os
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.agents import Surroundings, load_agent
from placet.actors.guard import Policy
from placet.actors.protocol.errors import InvalidInput, StartRefused
from placet.actors.protocol.records import RunStatus
from placet.actors.runtime import LoopLagMonitor, RegistryLimits
from placet.actors.session import Services, Sessions, open_sessions
from placet.actors.store import RunFilter, open_store
from placet.http.app import create_app
from placet.http.auth import Keyring, ensure_api_key
from placet.http.desk import Desk

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from quart_trio import QuartTrio

    from placet.actors.protocol.records import RunRecord
    from placet.actors.store import Page
    from placet.http.config import Config

UNKNOWN_SHOWN: Final = 10
"""Runs of unknown outcome that a start names. More would push the rest off the screen."""

logger: Final = logging.getLogger("placet")


@dataclass
class House:
    """An open house.

    Attributes:
        app: the application.
        sessions: the sessions that it serves.
        key_is_new: whether this start made the API key.
        recovered: sessions that were taken up from an earlier process.
        unknown: runs of an earlier process of which nobody knows how far they came, the newest; there may be more.
    """

    app: QuartTrio
    sessions: Sessions
    key_is_new: bool
    recovered: int
    unknown: Page[RunRecord]


@asynccontextmanager
async def open_house(config: Config) -> AsyncGenerator[House, None]:
    """Open store, sessions and application; recovery is done before this yields.

    Raises:
        StartRefused: with these settings, or on this data directory, the server must not start.
    """
    agent = load_agent(config.agent, config.agent_settings)
    policy = _policy(config)
    limits = config.limits
    async with agent.lifespan(), open_store(config.data_dir, limits) as store:
        keyring, key_is_new = _keys(config)
        services = Services(
            store=store,
            agent=agent,
            surroundings=Surroundings(str(config.workspace), limits, policy, config.confined),
            limits=limits,
            now=time.time,
            interrupt_lost=config.recovery == "interrupt",
        )
        registry_limits = RegistryLimits(ask_timeout_s=config.ask_timeout_s)
        async with open_sessions(services, registry_limits) as sessions, trio.open_nursery() as nursery:
            recovered = await sessions.recover()
            unknown = await store.runs(RunFilter(status=RunStatus.UNKNOWN), after=None, limit=UNKNOWN_SHOWN)
            lag, desk = LoopLagMonitor(), Desk(sessions, config, keyring)
            nursery.start_soon(lag.run)
            nursery.start_soon(sessions.keep_house)
            nursery.start_soon(sessions.look_after_store)
            nursery.start_soon(desk.hooks.run)
            yield House(create_app(desk, lag), sessions, key_is_new, recovered, unknown)
            nursery.cancel_scope.cancel()


def _policy(config: Config) -> Policy:
    try:
        return Policy(
            deny=config.guard.deny,
            ask=config.guard.ask,
            allow=config.guard.allow,
            protected=(str(config.data_dir),),
            home=str(Path.home()),
            resolve=os.path.realpath,
        )
    except InvalidInput as error:
        raise StartRefused(
            f"The rules under [guard] cannot be read: {error}.", code="invalid_config"
        ) from error


def _keys(config: Config) -> tuple[Keyring, bool]:
    if config.no_auth:
        return Keyring(config, None), False
    if config.api_key is not None:
        return Keyring(config, config.api_key), False
    key, created = ensure_api_key(config.data_dir)
    return Keyring(config, key), created
