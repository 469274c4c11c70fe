"""The script agent in a framework that cuts every response after a second, unless the response itself says how long it may take."""

from __future__ import annotations

from quart import Quart

from tests.system.agents.script import opaque

Quart.default_config = {**Quart.default_config, "RESPONSE_TIMEOUT": 1}

__all__ = ["opaque"]
