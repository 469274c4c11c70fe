"""The terminal: one shell command, run to its end, with nothing of it left behind.

The command is the leader of a process group of its own. However it ends, the group is ended with it, so neither a time-out nor a
stopped turn nor a forgotten `&` leaves a process; if the server is killed, the next one ends it (`left.py`). What leaves the group
on purpose (`setsid`, a daemon) is out of reach; the wall against that is a sandbox around the server.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import msgspec
import trio

from placet.actors.agents.group import KILL_AFTER_S, end_group
from placet.actors.agents.left import MARK
from placet.actors.agents.output import KeptOutput, LiveOutput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

READ_BYTES = 64 * 1024
"""What one read takes: a Linux pipe holds no more, so a busy command is passed on in the largest pieces there are."""

LINGER_S = 1.0
"""How long after the shell's exit its children may still print: enough for a pipeline's last stage to flush."""

POLL_S = 0.25
"""How often a silent pipe is left to see whether the shell has gone. Only a child that keeps the pipe open waits for it."""

REAP_S = 2.0
"""How long a killed shell is waited for. Only one that is stuck in the kernel needs longer, and it cannot be helped."""

CANNOT_START = 126
"""The exit code by which shells say that a command was found and could not be started."""

_CHANGES_MEANING = frozenset({"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS"})
"""Variables that make a shell run or read other text than the command that was judged."""


class CommandResult(msgspec.Struct, frozen=True):
    """How a command ended.

    Attributes:
        exit_code: the shell's; negative is the signal that ended it, 126 if it could not be started.
        output: standard output and error in the order in which they came; if it was long, its head and its tail.
        timed_out: whether it was ended for its time-out.
        cut_bytes: how many bytes of the output are missing between head and tail.
        duration_s: from start to end, in seconds.
    """

    exit_code: int
    output: str
    timed_out: bool = False
    cut_bytes: int = 0
    duration_s: float = 0.0


async def run_command(
    command: str,
    *,
    directory: str,
    timeout_s: float,
    keep_bytes: int,
    on_output: Callable[[str], Awaitable[None]],
    mark: str = "",
    env: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run `command` in a shell, without input, and pass on what it prints. Always a checkpoint.

    Cancellation ends the command: SIGTERM to its group, SIGKILL two seconds later; only then is `trio.Cancelled` raised.

    Args:
        command: shell text, for bash where there is one.
        directory: where it starts.
        timeout_s: seconds after which it is ended in the same way.
        keep_bytes: how much of the output's head, and again of its tail, the result holds.
        on_output: is given each piece of text as it comes. While it waits the command is held back; what it raises ends the
            command and is raised here.
        mark: of the tool call; every process of the command has it in its environment. See `placet.actors.agents.left`.
        env: the environment, the server's own if not given. What belongs to Placet (its keys) or would change what the shell
            reads is left out either way.

    Returns:
        The result, also of a command that could not be started (exit code 126) or was too slow (`timed_out`).
    """
    started = trio.current_time()
    try:
        process = await trio.lowlevel.open_process(
            [*_shell(), command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=directory,
            env=clean_environment(os.environ if env is None else env) | ({MARK: mark} if mark else {}),
        )
    except (OSError, ValueError) as error:  # too long, holds a NUL, no such directory, no more processes
        why = error.strerror if isinstance(error, OSError) else str(error)
        return CommandResult(CANNOT_START, f"The command could not be started: {why}.")
    kept = KeptOutput(keep_bytes)
    try:
        with trio.move_on_after(timeout_s) as limit:
            await _follow(process, kept, LiveOutput(on_output))
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + KILL_AFTER_S + REAP_S):
            await _end(process)
    return CommandResult(
        exit_code=-signal.SIGKILL if process.returncode is None else process.returncode,
        output=kept.text(),
        timed_out=limit.cancelled_caught,
        cut_bytes=kept.cut_bytes,
        duration_s=trio.current_time() - started,
    )


def clean_environment(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without what a command must not have: Placet's own variables, and those that change what the shell reads."""
    return {
        name: value
        for name, value in env.items()
        if not name.startswith(("PLACET_", "BASH_FUNC_")) and name not in _CHANGES_MEANING
    }


def _shell() -> list[str]:
    """How the shell is called. `--norc`: bash reads a start-up file of its own accord if it believes that it came by ssh."""
    bash = shutil.which("bash")
    return [bash, "--norc", "-c", "--"] if bash else ["/bin/sh", "-c", "--"]


async def _follow(process: trio.Process, kept: KeptOutput, live: LiveOutput) -> None:
    """Take the output until its end, then the exit; but do not wait for a pipe that the shell has left to a child.

    The exit is polled for, not awaited in a second task: a nursery would turn what `on_output` raises into a group.
    """
    pipe = process.stdout
    assert pipe is not None
    end_at = math.inf
    while trio.current_time() < end_at:
        data: bytes | bytearray | None = None
        with trio.move_on_after(POLL_S):
            data = await pipe.receive_some(READ_BYTES)
        if data:
            kept.add(data)
            await live.add(data)
        elif data is not None:
            break
        if process.poll() is not None:
            end_at = min(end_at, trio.current_time() + LINGER_S)
    await live.end()
    await process.wait()


async def _end(process: trio.Process) -> None:
    """End what is left of the group, reap the shell, close the pipe. The caller shields and bounds it.

    A shell that has ended by itself is reaped already, at most `LINGER_S` ago. Its group's id cannot go to others while a process
    of the group is left, and hardly so soon after.
    """
    assert process.stdout is not None
    try:
        await end_group(process.pid)
        await process.wait()
    finally:
        await process.stdout.aclose()
