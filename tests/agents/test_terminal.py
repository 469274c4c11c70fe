"""Commands end, whatever they do, and leave nothing behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import trio

from placet.actors.agents import output, terminal
from placet.actors.agents.terminal import CommandResult, clean_environment, run_command

pytestmark = [pytest.mark.thread, pytest.mark.slow]


class Watcher:
    """Collects what a command prints and tells when a text has appeared."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._news = trio.Event()

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    async def __call__(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self.pieces.append(text)
        self._news.set()

    async def saw(self, text: str) -> None:
        while text not in self.text:
            self._news = trio.Event()
            await self._news.wait()


async def run(
    command: str, directory: Path, watcher: Watcher | None = None, **settings: object
) -> CommandResult:
    given: dict[str, object] = {"timeout_s": 20.0, "keep_bytes": 1000, **settings}
    return await run_command(command, directory=str(directory), on_output=watcher or Watcher(), **given)  # type: ignore[arg-type]


async def gone(pid: int) -> None:
    """Wait until the process has ended, whether or not its parent has taken note."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        with trio.fail_after(5):
            await trio.lowlevel.wait_readable(process)
    finally:
        os.close(process)


def children() -> set[str]:
    """This process's children, also those that have ended and wait to be noticed."""
    lists = Path("/proc/self/task").glob("*/children")
    return {pid for listed in lists for pid in listed.read_text().split()}


async def test_output_and_errors_come_in_their_order_with_the_exit_code(tmp_path: Path) -> None:
    result = await run("echo a; echo b >&2; echo c; exit 3", tmp_path)
    assert (result.exit_code, result.output, result.timed_out, result.cut_bytes) == (3, "a\nb\nc\n", False, 0)
    assert 0 < result.duration_s < 20


async def test_it_runs_in_the_directory_without_input(tmp_path: Path) -> None:
    result = await run("pwd; cat; tty", tmp_path)
    assert result.output == f"{tmp_path}\nnot a tty\n"


async def test_a_command_that_looks_like_an_option_is_a_command(tmp_path: Path) -> None:
    result = await run("--version", tmp_path)
    assert (result.exit_code, "not found" in result.output) == (127, True)


async def test_without_bash_sh_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal.shutil, "which", lambda name: None)
    assert (await run("echo $0", tmp_path)).output == "/bin/sh\n"


async def test_what_is_printed_is_seen_while_the_command_runs(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    watcher = Watcher()
    results = []

    async def command() -> None:
        results.append(await run("echo first; read x < gate; echo $x", tmp_path, watcher))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(command)
        await watcher.saw("first\n")
        assert results == []
        await trio.to_thread.run_sync((tmp_path / "gate").write_text, "second\n")
    assert results[0].output == watcher.text == "first\nsecond\n"


async def cancelled_once_it_printed(command: str, directory: Path) -> str:
    """Run `command`, cancel it as soon as a line has come, and return that line."""
    watcher = Watcher()

    async def run_it() -> None:
        await run(command, directory, watcher)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_it)
        await watcher.saw("\n")
        nursery.cancel_scope.cancel()
    return watcher.text


async def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    result = await run("sleep 1000 & echo $!; wait", tmp_path, timeout_s=1)
    assert result.timed_out
    assert result.exit_code == -signal.SIGTERM
    await gone(int(result.output))


async def test_cancellation_ends_the_whole_group_before_it_returns(tmp_path: Path) -> None:
    pid = await cancelled_once_it_printed("sleep 1000 & echo $!; wait", tmp_path)
    await gone(int(pid))


async def test_what_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    pid = await cancelled_once_it_printed("trap '' TERM; echo $$; while :; do sleep 0.05; done", tmp_path)
    await gone(int(pid))


async def test_what_handles_sigterm_may_clean_up(tmp_path: Path) -> None:
    await cancelled_once_it_printed(
        "trap 'touch cleaned; exit' TERM; echo up; while :; do sleep 0.05; done", tmp_path
    )
    assert (tmp_path / "cleaned").exists()


async def test_a_child_that_holds_the_pipe_does_not_hold_the_command(tmp_path: Path) -> None:
    with trio.fail_after(10):
        result = await run("sleep 1000 & echo $!", tmp_path)
    assert (result.exit_code, result.timed_out) == (0, False)
    await gone(int(result.output))


async def test_a_child_that_prints_without_end_does_not_hold_the_command(tmp_path: Path) -> None:
    with trio.fail_after(10):
        result = await run("echo $BASHPID; yes & exit 4", tmp_path, keep_bytes=100)
    assert (result.exit_code, result.timed_out) == (4, False)


async def test_a_quiet_child_in_the_background_ends_with_the_command(tmp_path: Path) -> None:
    result = await run("sleep 1000 >/dev/null 2>&1 & echo $!", tmp_path)
    assert (result.exit_code, result.timed_out) == (0, False)
    await gone(int(result.output))


async def test_a_command_that_closes_its_output_is_still_waited_for(tmp_path: Path) -> None:
    result = await run("exec >&- 2>&-; sleep 0.3; exit 5", tmp_path)
    assert (result.exit_code, result.output) == (5, "")


async def test_output_without_end_is_bounded_and_timed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "LIVE_BYTES", 5000)
    watcher = Watcher()
    result = await run("yes", tmp_path, watcher, timeout_s=1)
    assert result.timed_out
    assert result.cut_bytes > 0
    assert len(result.output) < 2200
    assert result.output.startswith("y\ny\n")
    assert f"{result.cut_bytes} bytes are cut here" in result.output
    assert len(watcher.text) < 5100
    assert "the output goes on" in watcher.pieces[-1]


async def test_binary_output_becomes_text(tmp_path: Path) -> None:
    watcher = Watcher()
    result = await run(r"printf 'a\377\303'; printf '\251z\0'; printf '\342\202'", tmp_path, watcher)
    assert result.output == watcher.text == "a\N{REPLACEMENT CHARACTER}éz\0\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("command", "why"), [("echo \0", "null byte"), ("echo " + "x" * 3_000_000, "Argument list too long")]
)
async def test_a_command_that_cannot_be_started_says_why(tmp_path: Path, command: str, why: str) -> None:
    result = await run(command, tmp_path)
    assert result.exit_code == terminal.CANNOT_START
    assert why in result.output


async def test_a_missing_directory_is_no_exception(tmp_path: Path) -> None:
    result = await run("pwd", tmp_path / "missing")
    assert (result.exit_code, "No such file" in result.output) == (126, True)


async def test_an_error_of_the_watcher_is_raised_as_itself_and_ends_the_command(tmp_path: Path) -> None:
    seen: list[str] = []

    async def refuse(text: str) -> None:
        await trio.lowlevel.checkpoint()
        seen.append(text)
        raise KeyError("the disk is full")

    with pytest.raises(KeyError, match="the disk is full"):
        await run_command(
            "echo $$; sleep 1000", directory=str(tmp_path), timeout_s=20, keep_bytes=10, on_output=refuse
        )
    await gone(int(seen[0]))


async def test_no_descriptor_and_no_zombie_is_left(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    await run("true", tmp_path)
    before = descriptors(), children()
    for _ in range(5):
        await run("echo x; sleep 1000 & exit 1", tmp_path, timeout_s=0.2)
    assert (descriptors(), children()) == before


async def test_the_environment_holds_no_key_and_nothing_that_changes_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rc").write_text("echo() { builtin echo hijacked; }\n")
    for name, value in {
        "PLACET_API_KEY": "k",
        "PLACET_MODEL_API_KEY": "k",
        "BASH_ENV": str(tmp_path / "rc"),
        "BASH_FUNC_true%%": "() { echo hijacked; }",
        "KEPT": "kept",
    }.items():
        monkeypatch.setenv(name, value)
    result = await run("true; echo $KEPT; env", tmp_path)
    assert result.output.startswith("kept\n")
    assert "PLACET" not in result.output
    assert "hijacked" not in result.output


def test_a_given_environment_is_cleaned_too() -> None:
    assert clean_environment({"PATH": "/bin", "PLACET_X": "1", "ENV": "rc", "SHELLOPTS": "xtrace"}) == {
        "PATH": "/bin"
    }
