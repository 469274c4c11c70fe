"""The routes that an application really has, as an OpenAPI document names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from quart import Quart

_VARIABLE: Final = re.compile(r"<(?:[^<>:]+:)?([^<>:]+)>")
_IMPLIED: Final = frozenset({"HEAD", "OPTIONS"})
"""The framework answers these on its own."""


class Route(NamedTuple):
    """A method and a path, its variables in braces, such as `GET /v1/runs/{run_id}`."""

    method: str
    path: str


def routes_of(app: Quart) -> frozenset[Route]:
    """Every route of the application; a WebSocket's counts as the GET that opens it."""
    return frozenset(
        Route(method, _VARIABLE.sub(r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or {"GET"})
        if method not in _IMPLIED
    )
