"""The clients that are no part of the lock: installed once into pytest's cache, and skipped where that is impossible."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
PROBE_PACKAGE = "hermes-agent-api-client==0.3.3"
INSTALL_S = 300.0

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture
def programs() -> Path:
    """The folder of the programs."""
    return PROGRAMS


@pytest.fixture(scope="session")
def node(pytestconfig: pytest.Config) -> Path:
    """A folder with the programs for Node and all that they import."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("no node: apt-get install nodejs npm")
    folder = _cache(pytestconfig) / "node"
    with _alone(folder):
        if not _same(HERE / "node" / "package-lock.json", folder / "installed"):
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / "node" / name, folder)
            _install([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
            shutil.copy(HERE / "node" / "package-lock.json", folder / "installed")
        for program in PROGRAMS.glob("*.mjs"):
            shutil.copy(program, folder)
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("no chromium: apt-get install chromium")
    return found


@pytest.fixture(scope="session")
def probe_python(pytestconfig: pytest.Config) -> str:
    """A Python that has the typed client of the contract's own system."""
    ours = HERE.parents[1] / ".venv313" / "bin" / "python"
    places = [sys.executable if sys.version_info >= (3, 13) else "", str(ours), "python3.13"]
    python = next(filter(None, map(shutil.which, places)), None)
    if python is None:
        pytest.skip("no Python 3.13, which this client needs: make PYTHON=python3.13 VENV=.venv313 setup-dev")
    folder = _cache(pytestconfig) / "probe"
    with _alone(folder):
        if not (folder / "installed").exists():
            _install([python, "-m", "venv", str(folder / "venv")], folder)
            pip = [str(folder / "venv/bin/python"), "-m", "pip", "install", "--quiet"]
            _install([*pip, "--disable-pip-version-check", PROBE_PACKAGE], folder)
            (folder / "installed").touch()
    return str(folder / "venv/bin/python")


def _cache(config: pytest.Config) -> Path:
    cache: Callable[[str], Path] = config.cache.mkdir  # type: ignore[union-attr] - the plugin is never off here
    return cache("placet-clients")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While no other worker of the same test run installs there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


def _install(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    if done.returncode != 0:
        pytest.skip(
            f"cannot install here: `{' '.join(command[:3])}` in {folder}: {done.stderr.strip()[-200:]}"
        )
