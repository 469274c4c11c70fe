"""A browser: pages of another origin that `fetch` and follow an `EventSource`, and the page that shows the document."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from placet.http.openapi import OPERATIONS
from tests.clients.finishing import ANSWERS, asking_server, check, output_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

each_choice = pytest.mark.parametrize("choice", ANSWERS)


@pytest.fixture
def page_port() -> int:
    """A port that was free just now, for the server of the page."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
        return port


def program(node: Path, chromium: str, page_port: int, what: str) -> list[str]:
    return ["node", str(node / "browser.mjs"), chromium, str(page_port), what]


@each_choice
async def test_fetch_with_a_key(
    tmp_path: Path, choice: str, node: Path, chromium: str, page_port: int
) -> None:
    origins = f"http://127.0.0.1:{page_port}"
    async with asking_server(tmp_path, cors_origins=origins) as server:
        await check(server, program(node, chromium, page_port, "fetch"), choice, ["fetch"])


@each_choice
async def test_event_source_without_one(
    tmp_path: Path, choice: str, node: Path, chromium: str, page_port: int
) -> None:
    origins = f"http://127.0.0.1:{page_port}"
    async with asking_server(tmp_path, key=None, cors_origins=origins) as server:
        await check(server, program(node, chromium, page_port, "EventSource"), choice, ["EventSource"])


async def test_the_document_is_shown_under_its_strict_policy(
    tmp_path: Path, node: Path, chromium: str, page_port: int
) -> None:
    async with asking_server(tmp_path) as server:
        command = [*program(node, chromium, page_port, "docs"), f"http://127.0.0.1:{server.port}"]
        shown = json.loads(await output_of(server, command, "deny"))
    assert shown == {"operations": len(OPERATIONS), "complaints": []}
