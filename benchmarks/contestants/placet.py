"""Placet itself."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from benchmarks.contestants.contestant import KEY, Command, Place


@dataclass(frozen=True)
class Placet:
    """`placet serve`.

    Attributes:
        agent: which one answers.
        settings: by name, beyond what a benchmark always needs: room for many turns at once, and a short end.
        name: in the tables.
    """

    agent: str = "openai"
    settings: dict[str, str] = field(default_factory=dict[str, str])
    name: str = "placet"

    def command(self, place: Place) -> Command:
        """Everything but the port and the agent is said in the environment."""
        settings = {
            "api_key": KEY,
            "data_dir": str(place.directory),
            "workspace": str(place.directory),
            "model_base_url": place.model_url,
            "model": "parrot",
            "running_turns": "1000",
            "drain_grace_s": "0.1",
        }
        arguments = ("-m", "placet", "serve", "--port", str(place.port), "--agent", self.agent)
        environment = {f"PLACET_{name.upper()}": value for name, value in (settings | self.settings).items()}
        return Command((sys.executable, *arguments), environment)
