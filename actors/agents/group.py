"""A process group: the processes that one command started, and how all of them are ended."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import trio

KILL_AFTER_S = 2.0
"""Between SIGTERM and SIGKILL: time to remove a lock file, short enough for a drain."""


async def end_group(group: int) -> None:
    """End every process of the group: SIGTERM, and SIGKILL for what is left two seconds later.

    A checkpoint only if there is one. Cancellation leaves what had SIGTERM to itself, so the caller shields it.

    Args:
        group: the id of a group whose leader has been reaped or is about to be.
    """
    if not _send(group, signal.SIGTERM):
        return
    pause_s = 0.005
    with trio.move_on_after(KILL_AFTER_S):
        while True:
            await trio.sleep(pause_s)
            if not _runs(group):
                break
            pause_s *= 2  # looking means reading all of /proc
    _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    """Send a signal to every process of the group. `False` if there is none."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # the latter is what macOS says of a group of zombies
        return False
    return True


def _runs(group: int) -> bool:
    """Whether a process of the group still runs.

    The kernel counts a process that has ended until its parent takes note. For an orphan that is init, and in a container init may
    take its time or never do it, so where there is `/proc` the ended ones are told apart.
    """
    if not _send(group, 0):
        return False
    try:
        pids = [name for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return True
    return any(_is_live_member(pid, group) for pid in pids)


def _is_live_member(pid: str, group: int) -> bool:
    try:
        state, _, member_of = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[:3]
    except OSError:  # it has ended while we looked
        return False
    return int(member_of) == group and state not in "ZX"
