"""The script agent in a framework that cuts every response after a second, unless the response itself says how long it may take."""

from __future__ import annotations

from quart import Quart
from werkzeug.datastructures import ImmutableDict

from tests.system.agents.script import opaque

Quart.default_config = ImmutableDict({**Quart.default_config, "RESPONSE_TIMEOUT": 1})

__all__ = ["opaque"]
