"""Settling a run of which nobody knows how far it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from placet.http.client.client import path_word
from placet.http.client.records import Run

if TYPE_CHECKING:
    from placet.http.client.client import Client, JsonObject


async def settle(client: Client, run_id: str) -> JsonObject:
    """Say that a run of unknown outcome is over, so that its session goes on.

    Args:
        client: of its server.
        run_id: the run.

    Raises:
        Refused: there is no such run, or its outcome is not unknown; so nothing is settled that has changed since it was read.
        NotReached: no answer came.
    """
    path = f"/v1/runs/{path_word(run_id)}"
    run = msgspec.convert(await client.ask("GET", path), Run)
    body = {"admission_id": run.admission_id, "execution_generation": run.execution_generation}
    return await client.ask("POST", f"{path}/resolve-unknown", body)
