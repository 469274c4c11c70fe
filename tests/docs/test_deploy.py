"""The unit and the container's file agree with the program that they start."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
import trio

from placet.http.cli import main
from placet.http.cli.exits import Exit
from placet.http.config import load_config, unknown_variables
from placet.http.serve import SHUTDOWN_S
from tests.docs.pages import ROOT, Page
from tests.system.server import serving

if TYPE_CHECKING:
    from pathlib import Path

UNIT = (ROOT / "deploy/placet.service").read_text()
CONTAINER = (ROOT / "deploy/Containerfile").read_text()


def of_unit(name: str) -> str:
    (value,) = re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)
    return value


def parses(words: list[str]) -> bool:
    """Whether `placet` takes these words."""
    name, *arguments = words
    command = main.get_command(click.Context(main), name)
    assert command is not None, name
    command.make_context(name, arguments)
    return True


def test_the_unit_waits_longer_than_the_server_takes() -> None:
    grace = load_config({}, {}, None).drain_grace_s + SHUTDOWN_S
    assert int(of_unit("TimeoutStopSec")) > 2 * grace
    assert of_unit("KillMode") == "mixed"


def test_the_unit_starts_the_server_and_gives_up_on_wrong_settings(tmp_path: Path) -> None:
    (tmp_path / "placet.toml").touch()
    program, *words = of_unit("ExecStart").replace("/etc/placet", str(tmp_path)).split()
    assert program.endswith("/bin/placet")
    assert parses(words)
    assert int(of_unit("RestartPreventExitStatus")) == Exit.CONFIG


@pytest.mark.parametrize("text", [UNIT, CONTAINER], ids=["unit", "container"])
def test_variables_are_settings(text: str) -> None:
    assert unknown_variables(dict.fromkeys(re.findall(r"PLACET_\w+", text), "")) == ()


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="no systemd-analyze: apt-get install systemd"
)
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """With a program that is there, it has nothing to complain about."""
    unit = tmp_path / "placet.service"
    unit.write_text(UNIT.replace("/opt/placet/bin/placet", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert [line for line in done.stderr.splitlines() if "placet.service" in line] == []


def test_the_container_copies_what_is_there_and_starts_the_server() -> None:
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINER, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source
    (arguments,) = re.findall(r'^CMD \["(.+)"\]$', CONTAINER, re.MULTILINE)
    assert parses(shlex.split(arguments.replace('", "', " ")))


@pytest.mark.server
@pytest.mark.slow
async def test_the_health_check_tells_a_server_from_none(tmp_path: Path) -> None:
    (check,) = re.findall(r"^HEALTHCHECK .* CMD (.+)$", CONTAINER, re.MULTILINE)
    async with serving(tmp_path) as server:
        _, *arguments = json.loads(check.replace(":8642", f":{server.port}"))
        assert (await trio.run_process([sys.executable, *arguments], check=False)).returncode == 0
    gone = await trio.run_process([sys.executable, *arguments], check=False, capture_stderr=True)
    assert gone.returncode == 1


@pytest.mark.server
@pytest.mark.slow
async def test_what_to_watch_is_told(tmp_path: Path) -> None:
    _, _, watched = Page("docs/deployment.md").text.partition("## What to watch")
    table = [
        line.split("|")[1] for line in watched.partition("## Logs")[0].splitlines() if line.startswith("| `")
    ]
    fields = [field for cell in table for field in re.findall(r"`([\w.]+)`", cell)]
    assert len(fields) > 5
    async with serving(tmp_path) as server:
        told = (await server.api.ask("GET", "/health/detailed")).json
    for field in fields:
        value = told
        for name in field.split("."):
            assert name in value, field
            value = value[name]
