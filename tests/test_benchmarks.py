"""The benchmarks run, each in its quick form. What they find is for people to read, never for a test to judge."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import LIMITS, run
from benchmarks.harness.table import table
from benchmarks.measures import BENCHMARKS

pytestmark = [pytest.mark.slow, pytest.mark.server]


@pytest.mark.parametrize("name", BENCHMARKS)
async def test_a_benchmark_runs_in_its_quick_form(name: str) -> None:
    bench = await run(BENCHMARKS[name], quick=True, rounds=1, peers=LIMITS)
    assert not bench.findings.notes
    assert bench.findings.samples["placet"]
    assert BENCHMARKS[name].measures in table(BENCHMARKS[name], bench.findings)
