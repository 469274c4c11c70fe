"""The page that shows the document: ours alone, and under a policy that lets nothing else in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.http.openapi.application import application

STATIC = Path(__file__).parents[3] / "http" / "openapi" / "static"


@pytest.mark.parametrize(
    ("path", "media", "beginning"),
    [
        ("/docs", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/docs/docs.js", "text/javascript; charset=utf-8", b"// Renders"),
        ("/docs/docs.css", "text/css; charset=utf-8", b":root"),
    ],
)
async def test_its_files_are_given_to_anybody(path: str, media: str, beginning: bytes) -> None:
    async with application() as app:
        response = await app.test_client().get(path)
        assert (response.status_code, response.content_type) == (200, media)
        assert (await response.get_data(as_text=False)).startswith(beginning)


async def test_its_policy_lets_in_what_we_serve_and_nothing_else() -> None:
    async with application() as app:
        response = await app.test_client().get("/docs")
        policy = dict(rule.split(" ", 1) for rule in response.headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert "unsafe" not in str(policy)
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("file", sorted(STATIC.iterdir()), ids=lambda file: file.name)
def test_it_needs_nothing_from_elsewhere_and_makes_no_markup_of_text(file: Path) -> None:
    text = file.read_text()
    assert re.findall(r"https?://|//cdn", text) == []
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\son\w+=", text) == []
