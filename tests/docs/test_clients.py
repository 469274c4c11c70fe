"""The programs of `docs/clients.md` as they stand there: each gets through a prompt, and shows that it waited."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.clients.conftest import node  # noqa: F401 - a fixture
from tests.clients.finishing import ANSWERS, asking_server, output_of
from tests.docs.fronts import need
from tests.docs.pages import Page
from tests.system.server import KEY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)]

CLIENTS = Page("docs/clients.md")
WAITING = "[Waiting for approval: It deletes. `rm -rf ./x`"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACET_API_KEY", KEY)


def program(server: Server, language: str, mark: str) -> str:
    """The block with these words, told the test's own address."""
    (block,) = (block for block in CLIENTS.blocks(language) if mark in block.text)
    return block.text.replace(":8642", f":{server.port}")


def check(printed: str) -> None:
    """All of it was shown: what was said before the prompt, the prompt, and what was said after it."""
    assert WAITING in printed
    before, after = printed.split("\n[Waiting")[0], printed.split("]\n")[-1]
    assert before + after == ANSWERS["once"]


async def test_openai_for_python(tmp_path: Path) -> None:
    async with asking_server(tmp_path) as server:
        text = program(server, "python", "from openai import OpenAI")
        check(await output_of(server, [sys.executable, "-c", text], "once"))


@pytest.mark.parametrize("mark", ['from "openai"', 'from "@ai-sdk/openai-compatible"'])
async def test_a_program_for_node(tmp_path: Path, node: Path, mark: str) -> None:  # noqa: F811
    async with asking_server(tmp_path) as server:
        file = node / f"documented-{server.port}.mjs"
        file.write_text(program(server, "js", mark))
        try:
            check(await output_of(server, ["node", str(file)], "once"))
        finally:
            file.unlink()


async def test_curl(tmp_path: Path) -> None:
    need("curl", "curl"), need("openssl", "openssl")
    async with asking_server(tmp_path) as server:
        text = program(server, "sh", "curl -N").replace("curl -N", "curl -sSN")
        printed = await output_of(server, ["bash", "-c", text], "once")
        assert "event: approval.request\n" in printed
        assert printed.endswith("data: [DONE]\n\n")
