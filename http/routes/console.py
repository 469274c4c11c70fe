"""`/`: the console's page and its parts, as they lie in `http/console`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from quart import Blueprint, Response, request

from placet.actors.protocol.errors import NotFound

_FOLDER: Final = Path(__file__).parent.parent / "console"

_MEDIA: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

_POLICY: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, nothing written in the page itself: were a text ever taken for markup, it could still do nothing."""


class Asset(NamedTuple):
    """A file of the page.

    Attributes:
        body: its bytes.
        media: its media type.
        tag: a hash of its bytes, by which a browser asks whether it has changed.
    """

    body: bytes
    media: str
    tag: str


def routes() -> Blueprint:
    """The routes of the page. They need no key: what the page shows it must ask for."""
    blueprint = Blueprint("console", __name__)
    assets = {path.relative_to(_FOLDER).as_posix(): read_asset(path) for path in _files()}

    @blueprint.get("/")
    async def console() -> Response:
        return respond(assets["index.html"])

    @blueprint.get("/console/<path:file>")
    async def console_file(file: str) -> Response:
        if file not in assets:
            raise NotFound("The console has no such file.", code="file_not_found")
        return respond(assets[file])

    return blueprint


def _files() -> list[Path]:
    return [path for path in _FOLDER.rglob("*") if path.suffix in _MEDIA]


def read_asset(path: Path) -> Asset:
    """A file of the page.

    Args:
        path: where it is; relative to the page's folder, or absolute.
    """
    path = _FOLDER / path
    body = path.read_bytes()
    return Asset(body, _MEDIA[path.suffix], hashlib.sha256(body).hexdigest()[:32])


def respond(asset: Asset) -> Response:
    """The file under the page's policy, or that it has not changed.

    It is asked about at each use: a page must not be of two versions of the server.
    """
    known = request.if_none_match.contains_weak(asset.tag)
    response = Response(b"" if known else asset.body, status=304 if known else 200, content_type=asset.media)
    response.set_etag(asset.tag)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Security-Policy"] = _POLICY
    return response
