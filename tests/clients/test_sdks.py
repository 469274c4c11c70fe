"""The SDKs that people use, as they are: each gets through a turn with a prompt in it, whatever was decided."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING

import pytest

from tests.clients.finishing import ANSWERS, asking_server, check

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)]

each_choice = pytest.mark.parametrize("choice", ANSWERS)
PROBE_KEY = "a-key-of-the-typed-client-0123456789"
PROBE = f"""
[[principal]]
name = "probe"
key_sha256 = "{hashlib.sha256(PROBE_KEY.encode()).hexdigest()}"
approvals = "none"
"""
"""That client refuses events that it does not know, and no header tells it apart: so its principal says what it takes."""

SURFACES = ("chat", "chat stream", "response", "response stream")


@each_choice
async def test_openai_for_python(tmp_path: Path, choice: str, programs: Path) -> None:
    variants = [*SURFACES, *(f"async {name}" for name in SURFACES), "response helper"]
    async with asking_server(tmp_path) as server:
        await check(server, [sys.executable, str(programs / "openai_python.py")], choice, variants)


@each_choice
async def test_openai_for_node(tmp_path: Path, choice: str, node: Path) -> None:
    async with asking_server(tmp_path) as server:
        await check(server, ["node", str(node / "openai_node.mjs")], choice, [*SURFACES, "chat helper"])


@each_choice
async def test_the_ai_sdk(tmp_path: Path, choice: str, node: Path) -> None:
    async with asking_server(tmp_path) as server:
        await check(server, ["node", str(node / "ai_sdk.mjs")], choice, ["generateText", "streamText"])


@each_choice
async def test_the_typed_client(tmp_path: Path, choice: str, programs: Path, probe_python: str) -> None:
    async with asking_server(tmp_path, config=PROBE) as server:
        program = [probe_python, str(programs / "probe_and_stream.py")]
        await check(server, program, choice, ["chat stream"], key=PROBE_KEY)
