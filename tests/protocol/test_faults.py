"""The moments at which a process can be made to die."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from placet.actors.protocol.faults import VARIABLE, Point, armed, pass_by, reach

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("actors/**/*.py"), *ROOT.glob("http/**/*.py")]


@pytest.fixture
def kills(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Every signal that would have been sent."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    return sent


@pytest.mark.parametrize("asked", [None, ""])
def test_without_the_variable_nothing_happens(asked: str | None) -> None:
    assert armed(asked) is pass_by


def test_this_process_is_not_armed() -> None:
    assert reach is pass_by


@pytest.mark.parametrize("point", Point)
def test_a_process_dies_at_its_point_and_at_no_other(point: Point, kills: list[tuple[int, int]]) -> None:
    reach_armed = armed(point.value)
    for other in set(Point) - {point}:
        reach_armed(other)
    assert not kills
    reach_armed(point)
    assert kills == [(os.getpid(), signal.SIGKILL)]


def test_it_dies_the_nth_time_and_counts_its_own_point_only(kills: list[tuple[int, int]]) -> None:
    reach_armed = armed("claimed:3")
    for point in (Point.CLAIMED, Point.SETTLED, Point.CLAIMED, Point.ADMITTED):
        reach_armed(point)
    assert not kills
    reach_armed(Point.CLAIMED)
    assert len(kills) == 1


@pytest.mark.parametrize("asked", ["nowhere", "claimed:", "claimed:0", "claimed:-1", "claimed:x", ":2"])
def test_what_would_kill_nothing_is_refused(asked: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        armed(asked)


def test_a_real_process_is_killed() -> None:
    code = (
        "from placet.actors.protocol.faults import Point, reach\n"
        "for number in range(3):\n"
        "    print(number, flush=True)\n"
        "    reach(Point.CLAIMED)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {VARIABLE: "claimed:2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout.split()) == (-signal.SIGKILL, ["0", "1"]), ended.stderr


def test_every_point_is_reached_in_one_place() -> None:
    found = Counter(
        ast.unparse(node.args[0])
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "reach"
    )
    assert found == Counter(f"Point.{point.name}" for point in Point)
