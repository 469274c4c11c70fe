"""`/openapi.json` and `/docs`: the wire, described for programs and for people."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quart import Blueprint, Response, current_app

from placet.http.openapi import OPERATIONS, build_document, routes_of

if TYPE_CHECKING:
    from placet.http.openapi import Route

_STATIC: Final = Path(__file__).parent.parent / "openapi" / "static"

_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page runs our script and reads our document; nothing from elsewhere, and nothing written in the page itself."""


def routes() -> Blueprint:
    """The routes of the description. They need no key: all of it can be read in the source as well."""
    blueprint = Blueprint("docs", __name__)
    document = cache(_document)
    page, script, style = ((_STATIC / name).read_bytes() for name in ("docs.html", "docs.js", "docs.css"))

    @blueprint.get("/openapi.json")
    async def openapi() -> Response:
        return Response(document(routes_of(current_app)), content_type="application/json")

    @blueprint.get("/docs")
    async def docs() -> Response:
        response = Response(page, content_type="text/html; charset=utf-8")
        response.headers["Content-Security-Policy"] = _PAGE_POLICY
        return response

    @blueprint.get("/docs/docs.js")
    async def docs_script() -> Response:
        return Response(script, content_type="text/javascript; charset=utf-8")

    @blueprint.get("/docs/docs.css")
    async def docs_style() -> Response:
        return Response(style, content_type="text/css; charset=utf-8")

    return blueprint


def _document(existing: frozenset[Route]) -> bytes:
    """The document of an application with these routes. It is made once, at the first request for it."""
    return build_document(operation for operation in OPERATIONS if operation.route in existing)
