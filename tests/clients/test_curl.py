"""`curl`, as the README shows it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.clients.finishing import ANSWERS, asking_server, output_of
from tests.helpers import EventParser
from tests.system.server import KEY, chat_body, named, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [
    pytest.mark.server,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("curl") is None, reason="no curl: apt-get install curl"),
]

each_choice = pytest.mark.parametrize("choice", ANSWERS)


def curl(server: Server, *, stream: bool) -> list[str]:
    url = f"http://127.0.0.1:{server.port}/v1/chat/completions"
    options = [
        "--silent",
        "--show-error",
        "--fail",
        "--no-buffer",
        "--header",
        f"Authorization: Bearer {KEY}",
    ]
    return ["curl", *options, "--data", json.dumps(chat_body("Do it.", stream=stream)), url]


@each_choice
async def test_a_stream(tmp_path: Path, choice: str) -> None:
    async with asking_server(tmp_path) as server:
        events = EventParser().feed((await output_of(server, curl(server, stream=True), choice)).encode())
    assert text_of(events) == ANSWERS[choice]
    assert [prompt["command"] for prompt in named(events, "approval.request")] == ["rm -rf ./x"]
    assert events[-1].data == "[DONE]"


@each_choice
async def test_a_whole_answer(tmp_path: Path, choice: str) -> None:
    async with asking_server(tmp_path) as server:
        printed = json.loads(await output_of(server, curl(server, stream=False), choice))
    assert printed["choices"][0]["message"]["content"] == ANSWERS[choice]
