"""What a killed server leaves running is found by its mark and ended; nothing else is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from placet.actors.agents.left import MARK, end_left

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.thread,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


@pytest.fixture
def start() -> Iterator[object]:
    """Starts a shell with a mark in a group of its own, and waits until it says that it is there."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command: str, mark: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            ["sh", "-c", f"{command} & echo here; wait"],
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | {MARK: mark},
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


async def test_a_marked_command_is_ended_with_what_it_started_and_an_unmarked_one_is_not(start) -> None:
    lost, other = start("env -i sleep 600", "a/1"), start("sleep 600", "a/2")
    assert await end_left({"a/1", "a/3"}) == {"a/1"}
    assert lost.wait() != 0
    assert lost.stdout.read() == b"", "also the child that had no mark holds the pipe no longer"
    assert other.poll() is None


async def test_there_is_nothing_to_end() -> None:
    assert await end_left(()) == frozenset()
    assert await end_left({"a/1"}) == frozenset()
