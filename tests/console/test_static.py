"""The console's files: how they are served, and what may stand in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from quart import Quart

from placet.http.errors import register_error_handlers
from placet.http.routes import console

FOLDER = Path(__file__).parents[2] / "http" / "console"
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())
SCRIPTS = [name for name in FILES if name.endswith(".js")]
MEDIA = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}

each_file = pytest.mark.parametrize("name", FILES)
each_script = pytest.mark.parametrize("name", SCRIPTS)


async def get(path: str, **headers: str) -> Any:
    app = Quart("test", static_folder=None)
    register_error_handlers(app)
    app.register_blueprint(console.routes())
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    context = app.test_request_context(path, method="GET", headers=named)
    return await app.handle_request(context.request)


@each_file
async def test_every_file_has_its_media_type_and_the_policy(name: str) -> None:
    response = await get(f"/console/{name}")
    assert response.status_code == 200
    assert response.content_type.split(";")[0] == MEDIA[name.rpartition(".")[2]]
    assert await response.get_data(as_text=False) == (FOLDER / name).read_bytes()
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


async def test_the_page_lies_at_the_root() -> None:
    response = await get("/")
    assert await response.get_data(as_text=False) == (FOLDER / "index.html").read_bytes()


async def test_what_a_browser_has_is_not_sent_again() -> None:
    tag = (await get("/")).headers["ETag"]
    again = await get("/", If_None_Match=tag)
    assert (again.status_code, await again.get_data(as_text=False)) == (304, b"")
    assert (again.headers["ETag"], again.headers["Cache-Control"]) == (tag, "no-cache")
    assert (await get("/", If_None_Match='"another"')).status_code == 200


@pytest.mark.parametrize(
    "path", ["/console/", "/console/no.js", "/console/../app.py", "/console/%2e%2e/app.py"]
)
async def test_nothing_else_is_served(path: str) -> None:
    assert (await get(path)).status_code == 404


@each_script
def test_text_never_becomes_markup_and_nothing_comes_from_elsewhere(name: str) -> None:
    source = (FOLDER / name).read_text()
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setTimeout\(\s*[\"'`]|https?://"
    assert re.findall(forbidden, source) == []


@each_script
def test_every_import_is_there(name: str) -> None:
    source = (FOLDER / name).read_text()
    wanted = re.findall(r'^import\s+(?:\{([^}]*)\}\s+from\s+)?"([^"]+)"', source, re.MULTILINE)
    for names, path in wanted:
        module = FOLDER / path.removeprefix("/console/")
        exported = set(
            re.findall(r"^export (?:async )?(?:const|class|function) (\w+)", module.read_text(), re.MULTILINE)
        )
        assert {item.strip() for item in names.split(",")} <= exported, path
        for item in names.split(","):
            assert len(re.findall(rf"\b{item.strip()}\b", source)) > 1, f"{item} is not used"


@each_file
def test_files_are_small(name: str) -> None:
    if not name.endswith(".svg"):
        assert len((FOLDER / name).read_text().splitlines()) <= 350


def test_the_page_has_no_script_and_no_style_of_its_own() -> None:
    page = (FOLDER / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) == []
