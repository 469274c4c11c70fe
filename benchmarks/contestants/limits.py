"""The limits of what Placet is built on: its HTTP server alone, and its event loop alone."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants.contestant import Command, Place


@dataclass(frozen=True)
class RawAsgi:
    """A bare ASGI application under the plain `hypercorn` command: what the HTTP server costs when nothing is done."""

    name: str = "raw-asgi"

    def command(self, place: Place) -> Command:
        """Hypercorn as anyone would start it, on trio."""
        hypercorn = str(Path(sys.executable).with_name("hypercorn"))
        address = f"127.0.0.1:{place.port}"
        return Command(
            (hypercorn, "-k", "trio", "-w", "0", "--bind", address, "benchmarks.contestants.raw_asgi:app")
        )


@dataclass(frozen=True)
class Minimal:
    """A server of plain bytes on trio: what the event loop costs when there is no HTTP server at all."""

    name: str = "minimal"

    def command(self, place: Place) -> Command:
        """A module of its own."""
        return Command((sys.executable, "-m", "benchmarks.contestants.minimal", str(place.port)))
