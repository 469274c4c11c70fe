"""Stores to test with: one in memory for logic, one on disk for what needs a thread or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from placet.actors.store import Store, open_store
from tests.store.build import Scribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def store() -> Store:
    return Store.inline()


@pytest.fixture
def scribe(store: Store) -> Scribe:
    return Scribe(store)


@pytest.fixture
async def disk(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as store:
        yield store
