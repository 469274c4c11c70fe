"""What the console's tests have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clients.conftest import chromium as chromium
from tests.clients.conftest import node as node
from tests.console.browser import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def stage(chromium: str) -> Iterator[Stage]:
    """The browser."""
    opened = Stage(chromium)
    yield opened
    opened.close()
