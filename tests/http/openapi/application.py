"""The whole application over sessions in memory, without a server around it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from placet.actors.runtime import LoopLagMonitor
from placet.http.app import create_app
from placet.http.auth import Keyring
from placet.http.config import Config
from placet.http.desk import Desk
from tests.session.house import open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from quart_trio import QuartTrio

    from placet.actors.agents import Turn

KEY = "a-key-for-the-tests-0123456789"
WITH_KEY = {"Authorization": f"Bearer {KEY}"}


async def silent(turn: Turn) -> str:
    """An agent that is never asked anything."""
    raise AssertionError(turn)


@asynccontextmanager
async def application(**settings: Any) -> AsyncIterator[QuartTrio]:
    """The application with these settings."""
    config = Config(**settings)
    async with open_house(silent) as sessions:
        keyring = Keyring(config, None if config.no_auth else KEY)
        yield create_app(Desk(sessions, config, keyring), LoopLagMonitor())
