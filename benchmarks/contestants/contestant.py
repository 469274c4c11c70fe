"""What a contestant is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

KEY = "benchmark-key-0123456789"
"""The bearer key of every contestant: checking it is a part of each request's cost."""


class Unavailable(Exception):
    """A contestant cannot take part on this machine; the text says why."""


@dataclass(frozen=True)
class Place:
    """Where a contestant is to run.

    Attributes:
        port: on 127.0.0.1.
        directory: for its data.
        model_url: of the model to ask, up to and with `/v1`.
    """

    port: int
    directory: Path
    model_url: str


@dataclass(frozen=True)
class Command:
    """How a process is started: its arguments, and what it finds in its environment beside what is there."""

    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict[str, str])


class Contestant(Protocol):
    """A server to be measured.

    Attributes:
        name: in tables and plots.
    """

    @property
    def name(self) -> str: ...

    def command(self, place: Place) -> Command:
        """How it is started there. May install it first.

        Raises:
            Unavailable: it cannot be.
        """
        ...
