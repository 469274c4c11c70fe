"""What the console's tests have in common."""

from __future__ import annotations

from tests.clients.conftest import chromium as chromium
from tests.clients.conftest import node as node
