"""The benchmarks run. What they find is for people to read, never for a test to judge."""

from __future__ import annotations

import pytest

from benchmarks import guard, idle, store

pytestmark = [pytest.mark.slow, pytest.mark.server]


@pytest.mark.parametrize("benchmark", [guard, store, idle], ids=lambda module: module.__name__)
def test_a_benchmark_runs_in_its_quick_form(benchmark) -> None:
    found = benchmark.run(quick=True)
    assert found
    assert all(value is not None for value in found.values())
