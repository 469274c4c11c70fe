"""Processes that outlived the server which had started them for a tool call.

Each carries the call's mark in its environment from its first moment. So there is nothing to write down before it runs, and no
number of a process that another could have by now. Where there is no `/proc`, nothing is found.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from placet.actors.agents.group import end_group

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MARK: Final = "PLACET_CALL"
"""The variable that holds the mark."""


async def end_left(marks: Collection[str]) -> frozenset[str]:
    """End all processes that carry one of the marks, and their groups. A checkpoint only if there are some.

    Cancellation leaves what had SIGTERM to itself.

    Args:
        marks: of the calls that nobody saw end.

    Returns:
        The marks of those of which something still ran.
    """
    groups = dict(_groups({f"{MARK}={mark}".encode(): mark for mark in marks})) if marks else {}
    async with trio.open_nursery() as nursery:
        for group in groups:
            nursery.start_soon(end_group, group)
    return frozenset(groups.values())


def _groups(wanted: dict[bytes, str]) -> Iterator[tuple[int, str]]:
    """The groups in which a marked process runs, but for our own, and the mark."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            group = os.getpgid(int(place.name))
            variables = place.joinpath("environ").read_bytes().split(b"\0")
        except OSError:  # another user's, or it has ended while we looked
            continue
        for variable in variables:
            if variable in wanted and group != os.getpgrp():
                yield group, wanted[variable]
