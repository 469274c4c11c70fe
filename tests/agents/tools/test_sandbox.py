"""The wall around the terminal, with the real bubblewrap."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from placet.actors.agents import CommandResult, Surroundings, run_guarded
from placet.actors.agents.tools.sandbox import SAID
from placet.actors.guard import Policy
from placet.actors.protocol.limits import Limits
from tests.agents.fakes import APPROVED, FakeTurn
from tests.guard.effects import why_unavailable

pytestmark = [pytest.mark.thread, pytest.mark.slow]


@pytest.fixture(autouse=True)
async def _bubblewrap() -> None:
    """Skips, saying why, where bubblewrap cannot work."""
    if reason := await why_unavailable():
        pytest.skip(reason)


def turn_in(folder: Path) -> FakeTurn:
    """A turn whose workspace has Placet's own directory in it."""
    (folder / "work" / "data").mkdir(parents=True)
    (folder / "work" / "data" / "api_key").write_text("secret")
    turn = FakeTurn(workspace=str(folder / "work"), answers=(APPROVED,))
    policy = Policy(protected=(str(folder / "work" / "data"),), allow=("sh",))
    turn.surroundings = Surroundings(str(folder / "work"), Limits(), policy, confined=True)
    return turn


async def run(folder: Path, command: str) -> CommandResult:
    ended = await run_guarded(turn_in(folder), command)
    assert isinstance(ended, CommandResult)
    return ended


async def test_the_workspace_is_open_and_nothing_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("here before")
    ended = await run(
        tmp_path,
        f"pwd; ls {tmp_path}; echo in > inside; echo out > {outside}; touch /etc/x; cat /proc/net/dev | wc -l; "
        "ls data; echo $HOME; rm -f x",
    )
    assert (tmp_path / "work" / "inside").read_text() == "in\n"
    assert outside.read_text() == "here before"
    lines = ended.output.splitlines()
    assert lines[0] == lines[-1] == str(tmp_path / "work")
    assert "api_key" not in lines
    assert "outside" not in lines
    assert "Read-only file system" in ended.output
    assert "3" in lines, "no network but the loopback"
    assert ended.exit_code == 0


async def test_the_environment_stays_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    ended = await run(tmp_path, "env; rm -f x")
    assert "secret" not in ended.output
    assert "PATH=" in ended.output


async def test_the_prompt_says_that_it_is_confined(tmp_path: Path) -> None:
    turn = turn_in(tmp_path)
    await run_guarded(turn, "rm -f 'a b'")
    assert turn.asks()[0]["description"].endswith(f" {SAID[True]}.")
    assert turn.asks()[0]["command"] == "rm -f 'a b'", "what is shown and bound is the command itself"


async def test_a_command_that_takes_too_long_is_ended_inside_too(tmp_path: Path) -> None:
    turn = turn_in(tmp_path)
    limits = Limits(terminal_timeout_s=1)
    turn.surroundings = msgspec.structs.replace(turn.surroundings, limits=limits)
    ended = await run_guarded(turn, "rm -f x; echo begun; sleep 47.11")
    assert isinstance(ended, CommandResult)
    assert ended.timed_out
    assert ended.output == "begun\n"
    assert not any(b"sleep\x0047.11" in command for command in _running())


async def test_a_command_outlives_the_thread_that_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trio starts processes in threads, which end when they have been idle for a while."""
    monkeypatch.setattr("trio._core._thread_cache.IDLE_TIMEOUT", 0.01)
    ended = await run(tmp_path, "rm -f x; sleep 0.5; echo done")
    assert (ended.exit_code, ended.output) == (0, "done\n")


def _running() -> list[bytes]:
    """The command lines of all processes."""
    return [place.read_bytes() for place in Path("/proc").glob("[0-9]*/cmdline") if place.exists()]
