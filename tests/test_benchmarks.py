"""The benchmarks run, each in its quick form, and make of their samples what they should.

What they find is for people to read, never for a test to judge.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from benchmarks.__main__ import LIMITS, parse, run
from benchmarks.contestants import Command, Place
from benchmarks.harness import gauges
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.findings import Findings, Metric, percentile, spread
from benchmarks.harness.goals import Goal, Verdict
from benchmarks.harness.model import open_model
from benchmarks.harness.plot import Plot, draw, lines_of
from benchmarks.harness.record import record
from benchmarks.harness.scale import LogScale
from benchmarks.harness.stable import open_stable
from benchmarks.harness.table import figure, table, tally
from benchmarks.measures import BENCHMARKS


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.timeout(600)
async def test_every_benchmark_runs_in_its_quick_form() -> None:
    found: dict[str, Findings] = {}

    def done(benchmark: Benchmark, bench: Bench) -> None:
        found[benchmark.name] = bench.findings

    await run(BENCHMARKS, done, quick=True, rounds=1, peers=LIMITS)
    assert set(found) == set(BENCHMARKS)
    for name, findings in found.items():
        assert findings.notes == [], name
        assert findings.samples, name


@dataclass(frozen=True)
class Broken:
    """A contestant that ends at once."""

    name: str = "broken"

    def command(self, place: Place) -> Command:
        return Command((sys.executable, "-c", f"raise SystemExit('no way on port {place.port}')"))


async def test_a_contestant_that_does_not_start_is_noted_with_its_last_words(tmp_path) -> None:
    async with open_model() as model, open_stable(keeps=False) as stable:
        bench = Bench(tmp_path, model, stable, quick=True, rounds=1, peers=frozenset({"broken"}))
        async with bench.started(Broken()) as servers:
            assert servers == {}
    (note,) = bench.findings.notes
    assert note.startswith("broken did not start: no way on port ")


async def test_a_contestant_that_was_not_asked_for_is_not_started(tmp_path) -> None:
    async with open_model() as model, open_stable(keeps=False) as stable:
        bench = Bench(tmp_path, model, stable, quick=True, rounds=1, peers=frozenset())
        async with bench.started(Broken()) as servers:
            assert servers == {}
    assert bench.findings.notes == []


async def test_each_round_begins_with_another_contestant(tmp_path) -> None:
    order: list[str] = []

    async def turn(name: str) -> None:
        order.append(name)

    async with open_model() as model, open_stable(keeps=False) as stable:
        bench = Bench(tmp_path, model, stable, quick=True, rounds=2, peers=frozenset())
        await bench.interleave({"a": lambda: turn("a"), "b": lambda: turn("b")})
    assert order == ["a", "b", "b", "a"]


def test_the_bare_application_knows_nothing_of_placet() -> None:
    look = "import sys, benchmarks.contestants.raw_asgi; print([name for name in sys.modules if 'placet' == name[:6]])"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_gauges_agree_with_what_a_process_knows_of_itself() -> None:
    before = time.process_time()
    found = gauges.cpu_s(os.getpid())
    assert before <= found <= time.process_time()
    assert gauges.rss_bytes(os.getpid()) > 1_000_000


def test_a_process_that_is_gone_has_no_gauges() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with pytest.raises(ProcessLookupError):
        gauges.cpu_s(ended.pid)
    with pytest.raises(ProcessLookupError):
        gauges.rss_bytes(ended.pid)


def test_a_spread_is_the_median_and_the_quartiles() -> None:
    assert spread([5.0]) == (5.0, 5.0, 5.0, 1)
    assert spread([1.0, 2.0, 3.0, 4.0, 100.0]) == (3.0, 2.0, 4.0, 5)
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.95) == 4.0


@pytest.fixture
def findings() -> Findings:
    found = Findings()
    for ours, theirs in ((10.0, 20.0), (30.0, 40.0), (90.0, 100.0)):
        found.add("placet", "cpu_us", ours, 8)
        found.add("peer", "cpu_us", theirs, 8)
        found.add("placet", "cpu_us", ours * 2, 32)
    return found


def test_a_ratio_is_taken_within_a_round(findings) -> None:
    assert findings.ratios(("placet", Metric("cpu_us", 8)), ("peer", Metric("cpu_us", 8))) == [0.5, 0.75, 0.9]


@pytest.mark.parametrize(
    ("goal", "middle", "verdict"),
    [
        (Goal("", "cpu_us", 8, against="peer", most=0.75), 0.75, Verdict.MET),
        (Goal("", "cpu_us", 8, against="peer", most=0.7), 0.75, Verdict.MISSED),
        (Goal("", "cpu_us", 8, against="peer", least=0.8), 0.75, Verdict.MISSED),
        (Goal("", "cpu_us", 32, against="placet", base_at=8, most=2), 2.0, Verdict.MET),
        (Goal("", "cpu_us", 8, least=30), 30.0, Verdict.MET),
        (Goal("", "cpu_us", 8, against="nobody", most=1), None, Verdict.UNKNOWN),
    ],
)
def test_a_goal_is_judged_by_the_median(findings, goal, middle, verdict) -> None:
    found = goal.found(findings)
    assert (None if found is None else found.middle) == middle
    assert goal.judge(found) is verdict


async def nothing(_: Bench) -> None:
    """Measures nothing."""


PLOT = Plot("cpu", "CPU & more", "connections", "µs", {"": "cpu_us"})
BENCHMARK = Benchmark(
    "some",
    "what some things cost",
    nothing,
    (Goal("it is cheap", "cpu_us", 8, against="peer", most=0.1), Goal("it is there", "gone_ms", most=1)),
    "connections",
    (PLOT,),
)


def test_a_table_hides_no_goal_that_was_missed(findings) -> None:
    shown = table(BENCHMARK, findings)
    assert "some: what some things cost" in shown
    lines = {line.split("  ")[1]: line for line in shown.splitlines() if line.startswith("  it is")}
    assert lines["it is cheap"].endswith("NOT MET")
    assert lines["it is there"].endswith("not measured")
    assert tally([Verdict.MET, Verdict.MISSED, Verdict.MET]) == "2 met, 1 NOT MET, 0 not measured"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (12345.6, "12,346"), (3.14159, "3.14"), (0.0213, "0.0213"), (0.002, "0.00200")],
)
def test_a_figure_has_three_digits_that_count(value, shown) -> None:
    assert figure(value) == shown


def test_every_sample_is_recorded_beside_the_table_and_the_picture(findings, tmp_path) -> None:
    written = json.loads(record(BENCHMARK, findings, {"cores": 2}, tmp_path).read_text())
    assert written["samples"]["peer"] == [{"metric": "cpu_us", "at": 8, "values": [20.0, 40.0, 100.0]}]
    assert [goal["verdict"] for goal in written["goals"]] == ["NOT MET", "not measured"]
    assert {path.name for path in tmp_path.iterdir()} == {"some.json", "some.txt", "cpu.svg"}


def test_a_picture_has_a_line_for_whoever_was_measured_at_two_places(findings) -> None:
    (line,) = lines_of(PLOT, findings)
    assert (line.name, [at for at, _ in line.points]) == ("placet", [8.0, 32.0])
    picture = ElementTree.fromstring(draw(PLOT, [line]))
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"CPU & more", "connections", "µs", "placet", "1", "100"} <= set(words)


def test_a_logarithmic_axis_has_whole_decades() -> None:
    scale = LogScale.over([10.0, 5_000.0], 0.0, 300.0)
    assert scale.decades == [10.0, 100.0, 1_000.0, 10_000.0]
    assert [scale.place(value) for value in scale.decades] == [0.0, 100.0, 200.0, 300.0]


def test_a_benchmark_of_another_name_is_refused(capsys) -> None:
    assert parse(["chat", "--quick"]).names == ["chat"]
    with pytest.raises(SystemExit):
        parse(["speed"])
    assert "no benchmark is called speed" in capsys.readouterr().err
