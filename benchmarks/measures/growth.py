"""Whether what there is already makes anything dearer: sessions, events of a session, rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.contestants import Placet
from benchmarks.contestants.contestant import KEY
from benchmarks.filling import fill_events, fill_rules, fill_sessions
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import Lost, request
from benchmarks.harness.goals import Goal
from benchmarks.harness.load import load
from benchmarks.harness.plot import Plot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

    Operation = Callable[[Connection, int], Awaitable[None]]

CHAT = {"messages": [{"role": "user", "content": "hello"}]}


def _get(path: str) -> Operation:
    data = request("GET", path, key=KEY)

    async def get(connection: Connection, _: int) -> None:
        await _good(connection, data)

    return get


def _turn(session: str) -> Operation:
    """A turn in one of ten sessions; `{}` stands for the number."""

    async def turn(connection: Connection, number: int) -> None:
        named = {"X_Session_Id": session.format(number % 10)}
        await _good(connection, request("POST", "/v1/chat/completions", CHAT, key=KEY, **named))

    return turn


async def _asked(connection: Connection, _: int) -> None:
    """A prompt that no rule answers, and its expiry at once; the request waits for both."""
    await _good(connection, request("POST", "/v1/chat/completions", CHAT, key=KEY))


async def _good(connection: Connection, data: bytes) -> None:
    response = await connection.ask(data)
    if response.status != 200:
        raise Lost(f"{data[:80]!r}: {response.body[:300]!r}")


@dataclass(frozen=True)
class Growth:
    """One thing that there may be much of.

    Attributes:
        sizes: how much.
        fill: makes it.
        agent: who has the turns.
        operations: what may become dearer, by name.
    """

    sizes: tuple[int, ...]
    fill: Callable[[Path, int], Awaitable[None]]
    agent: str
    operations: dict[str, Operation]


GROWTHS = {
    "sessions": Growth(
        (10, 100, 1_000, 10_000),
        fill_sessions,
        "demo",
        {
            "turn": _turn("past-{}"),
            "list_page": _get("/api/sessions?limit=10"),
            "read_run": _get("/v1/runs/run_past-3"),
            "list_failed_runs": _get("/v1/runs?status=failed&limit=10"),
            "list_waiting_runs": _get("/v1/runs?status=waiting_for_approval&limit=10"),
            "inbox": _get("/v1/approvals?status=open"),
            "health": _get("/health"),
        },
    ),
    "events": Growth(
        (10, 100, 1_000, 10_000, 100_000),
        partial(fill_events, name="long"),
        "demo",
        {
            "turn": _turn("long"),
            "read_run": _get("/v1/runs/run_long"),
            "messages": _get("/api/sessions/long/messages"),
            "read_session": _get("/api/sessions/long"),
        },
    ),
    "rules": Growth(
        (10, 100, 1_000, 10_000),
        fill_rules,
        "benchmarks.agents:asks_in_vain",
        {"prompt": _asked, "list_page": _get("/v1/approvals/rules?limit=10")},
    ),
}
OPERATIONS = 60


async def run(bench: Bench) -> None:
    """Servers of every size side by side, each operation in turn."""
    for growing, growth in GROWTHS.items():
        sizes = bench.pick(growth.sizes, growth.sizes[:1])
        contestants: list[Placet] = []
        for size in sizes:
            data = bench.work / f"{growing}-{size}"
            data.mkdir()
            await growth.fill(data, size)
            contestants.append(Placet(growth.agent, {"data_dir": str(data)}, f"placet-{size}"))
        async with bench.started(*contestants) as servers:
            for name, operation in growth.operations.items():
                measures = {
                    f"placet-{size}": partial(
                        _measure, bench, servers[f"placet-{size}"], f"{growing}_{name}", operation, size
                    )
                    for size in sizes
                }
                await bench.interleave(measures)


async def _measure(bench: Bench, server: Running, name: str, operation: Operation, size: int) -> None:
    await load(server, operation, connections=1, operations=5)
    found = await load(server, operation, connections=1, operations=bench.pick(OPERATIONS, 5))
    bench.findings.add("placet", f"{name}_cpu_us", found.cpu_us, size)


def _goals() -> tuple[Goal, ...]:
    return tuple(
        Goal(
            f"{name.replace('_', ' ')}, {growth.sizes[-1]:,} {growing} against 10",
            f"{growing}_{name}_cpu_us",
            growth.sizes[-1],
            against="placet",
            base_at=growth.sizes[0],
            most=1.3,
        )
        for growing, growth in GROWTHS.items()
        for name in growth.operations
    )


BENCHMARK = Benchmark(
    "growth",
    "the CPU of an operation against how much there is: sessions, events of a session, rules",
    run,
    _goals(),
    "sessions, events or rules",
    tuple(
        Plot(
            f"growth-{growing}",
            f"What an operation costs among many {growing}",
            growing,
            "microseconds of CPU",
            {name.replace("_", " "): f"{growing}_{name}_cpu_us" for name in growth.operations},
        )
        for growing, growth in GROWTHS.items()
    ),
)
