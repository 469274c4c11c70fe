"""The peer: hermes-agent, whose contract Placet keeps, as its own users install it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.contestants.contestant import KEY, Command, Place, Unavailable
from benchmarks.harness.places import cache

PEER: Final = "hermes-agent==0.19.0"
_INSTALL_S: Final = 900


@dataclass(frozen=True)
class Peer:
    """`hermes gateway run` with its API server, one tool, and no cap on what runs at once."""

    name: str = "hermes-agent"

    def command(self, place: Place) -> Command:
        """Everything that it would ask the internet for is said in its configuration."""
        configuration = {
            "model": {
                "default": "parrot",
                "provider": "custom",
                "base_url": place.model_url,
                "api_key": "none",
                "context_length": 128_000,
            },
            "platform_toolsets": {"api_server": ["terminal"]},
            "gateway": {"api_server": {"max_concurrent_runs": 0}},
        }
        (place.directory / "config.yaml").write_text(json.dumps(configuration))
        environment = {
            "HERMES_HOME": str(place.directory),
            "API_SERVER_ENABLED": "true",
            "API_SERVER_KEY": KEY,
            "API_SERVER_PORT": str(place.port),
        }
        return Command((str(_installed() / "bin" / "hermes"), "gateway", "run"), environment)


def _installed() -> Path:
    """Its environment: the one named by `BENCHMARK_PEER`, or one of its own beside our other things, made when first needed."""
    if named := os.environ.get("BENCHMARK_PEER"):
        return Path(named)
    place = cache() / "peer"
    done = place / "installed"
    if done.exists() and done.read_text() == PEER:
        return place
    print(f"installing {PEER} into {place}", file=sys.stderr, flush=True)
    try:
        venv.create(place, with_pip=True, clear=True)
        install = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", PEER, "aiohttp"]
        subprocess.run(install, check=True, timeout=_INSTALL_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"{PEER} cannot be installed here: {error}") from error
    done.write_text(PEER)
    return place
