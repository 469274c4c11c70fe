"""Where and with what a run was made."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.harness.places import DRIVER_CORE, SERVER_CORE

_PACKAGES = ("trio", "hypercorn", "quart", "quart-trio", "h11", "apsw", "msgspec", "httpx2")


def describe() -> dict[str, Any]:
    """The machine, the versions, the commit and the date."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "server_core": sorted(SERVER_CORE),
        "driver_core": sorted(DRIVER_CORE),
        "load_before": os.getloadavg()[0],
        "versions": {name: version(name) for name in _PACKAGES},
    }


def _commit() -> str:
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
