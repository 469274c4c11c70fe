"""The plain fixture: a server with the script agent, for tests that need nothing special."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.system.server import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.system.server import Server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as running:
        yield running
