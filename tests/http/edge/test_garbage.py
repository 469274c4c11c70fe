"""Python's collector, as the server sets it."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from placet.http.garbage import THRESHOLDS, look_less

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


class Knot:
    """What only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("as_before")
def test_what_is_there_is_left_alone_and_new_cycles_are_still_found() -> None:
    look_less()
    assert gc.get_freeze_count() > 10_000
    knot = weakref.ref(Knot())
    kept = [[] for _ in range(THRESHOLDS[0] + 100)]
    assert knot() is None
    assert kept
