"""What is known about programs, one table for each domain. `programs.py` explains how a row is written.

Adding a program is adding a row. Three lines of policy stand behind the verdicts:

* A program that only reads, or that writes inside the working directory, runs. So does a request that only fetches.
* What runs code from the working directory asks (tests, builds, scripts, package scripts): the agent may have written that
  code itself a moment ago, so it is no safer than a script. Operators who want `pytest` to run unasked allow it by rule.
* What cannot be taken back asks: deleting, rewriting history, publishing, installing, stopping, acting as another user.
"""

from __future__ import annotations

from placet.actors.guard.programs import Catalogue, rows
from placet.actors.guard.tables import (
    archives,
    build,
    cloud,
    containers,
    coreutils,
    databases,
    editors,
    git,
    languages,
    network,
    packages,
    remote,
    services,
    shell,
    text,
    wrappers,
)

_DOMAINS = (
    archives, build, cloud, containers, coreutils, databases, editors, git, languages, network, packages, remote, services,
    shell, text, wrappers,
)  # fmt: skip

CATALOGUE = Catalogue(rows(domain.ROWS) for domain in _DOMAINS)

__all__ = ["CATALOGUE"]
