"""What a session holds in memory: idle, with an open stream, and waiting for a person."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Placet
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import Lost, request
from benchmarks.harness.goals import Goal
from benchmarks.harness.load import load
from benchmarks.harness.model import Answer, mark, next_turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

SESSIONS = 10_000
STREAMS = 200
PROMPTS = 200
CROWD = 1000
TURNS = 100
KIB, MB = 1024, 1_000_000
WAITING = {"async": "benchmarks.agents:waits", "blocking": "benchmarks.agents:waits_in_thread"}


async def run(bench: Bench) -> None:
    """Once each, since what was taken is not given back: a new server a round."""
    for _ in range(bench.rounds):
        async with bench.started(Placet("demo")) as servers:
            await _idle(bench, servers["placet"])
        async with bench.started(Placet()) as servers:
            await _streams(bench, servers["placet"])
        for kind, agent in list(WAITING.items())[: bench.pick(2, 1)]:
            async with bench.started(Placet(agent)) as servers:
                await _prompts(bench, servers["placet"], kind)
        async with bench.started(Placet(WAITING["async"])) as servers:
            await _crowd(bench, servers["placet"])


def _turn(session: Callable[[int], str]) -> Callable[[Connection, int], Awaitable[None]]:
    async def turn(connection: Connection, number: int) -> None:
        body = {"messages": [{"role": "user", "content": "hello"}]}
        named = {"X_Session_Id": session(number)}
        response = await connection.ask(request("POST", "/v1/chat/completions", body, key=KEY, **named))
        if response.status != 200:
            raise Lost(f"no answer: {response.body!r}")

    return turn


async def _idle(bench: Bench, server: Running) -> None:
    """Named sessions that have had one turn each; and whether a turn costs more among many."""
    sessions, turns = bench.pick(SESSIONS, 50), bench.pick(TURNS, 5)
    await _some_turns(server, "few", turns)
    few = await _some_turns(server, "few", turns)
    before = server.rss_bytes
    await load(server, _turn(lambda number: f"idle-{number}"), connections=32, operations=sessions)
    after = server.rss_bytes
    many = await _some_turns(server, "many", turns)
    add = partial(bench.findings.add, server.name)
    add("idle_session_kib", (after - before) / sessions / KIB, sessions)
    add("idle_total_mb", after / MB, sessions)
    add("turn_cpu_us", few, 10)
    add("turn_cpu_us", many, sessions)


async def _some_turns(server: Running, prefix: str, turns: int) -> float:
    found = await load(
        server, _turn(lambda number: f"{prefix}-{number % 10}"), connections=1, operations=turns
    )
    return found.cpu_us


async def _streams(bench: Bench, server: Running) -> None:
    """Chat streams that wait for a model's first word; then it comes, to all at once."""
    count = bench.pick(STREAMS, 10)
    async with AsyncExitStack() as stack:
        await _open_streams(bench, server, 1, stack)
        before = server.rss_bytes
        streams = await _open_streams(bench, server, count, stack)
        after = server.rss_bytes
        begun = trio.current_time()
        bench.model.release()
        async with trio.open_nursery() as nursery:
            for stream in streams:
                nursery.start_soon(stream.until, b"word ")
        took_s = trio.current_time() - begun
    bench.findings.add(server.name, "open_stream_kib", (after - before) / count / KIB, count)
    bench.findings.add(server.name, "all_have_a_token_s", took_s, count)


async def _open_streams(bench: Bench, server: Running, count: int, stack: AsyncExitStack) -> list[Connection]:
    """Streams whose model has been asked and is silent."""
    bench.model.answer = Answer(held=True)
    streams: list[Connection] = []
    turns = [next_turn() for _ in range(count)]
    for turn in turns:
        stream = await stack.enter_async_context(await server.connect())
        body = {"stream": True, "messages": [{"role": "user", "content": mark(turn)}]}
        await stream.send(request("POST", "/v1/chat/completions", body, key=KEY))
        await stream.head()
        streams.append(stream)
    for turn in turns:
        await bench.model.asked(turn)
    return streams


async def _prompts(bench: Bench, server: Running, kind: str) -> None:
    """Turns that wait for a person, with nobody watching."""
    count = bench.pick(PROMPTS, 5)
    await _ask(server, 1)
    before = server.rss_bytes
    await _ask(server, count)
    bench.findings.add(
        server.name, f"waiting_{kind}_prompt_kib", (server.rss_bytes - before) / count / KIB, count
    )


async def _crowd(bench: Bench, server: Running) -> None:
    """Sessions that each wait for a person on an open stream, and what a small request waits among them."""
    count = bench.pick(CROWD, 10)
    async with AsyncExitStack() as stack:
        before = 0
        for number in range(count + 1):
            stream = await stack.enter_async_context(await server.connect())
            body = {"stream": True, "messages": [{"role": "user", "content": "ask"}]}
            await stream.send(request("POST", "/v1/chat/completions", body, key=KEY))
            await stream.until(b"event: approval.request")
            before = before if number else server.rss_bytes
        more = server.rss_bytes - before
        waits: list[float] = []
        for _ in range(bench.pick(50, 5)):
            begun = trio.current_time()
            await server.ask("GET", "/health")
            waits.append(trio.current_time() - begun)
    bench.findings.add(server.name, "crowd_more_mb", more / MB, count)
    bench.findings.add(server.name, "crowd_health_ms", median(waits) * 1000, count)


async def _ask(server: Running, count: int) -> None:
    """Raise prompts, and wait until the inbox shows the last."""
    async with await server.watch("/v1/approvals/events") as inbox:
        for _ in range(count):
            await server.ask("POST", "/v1/runs", {"input": "ask"})
            await inbox.until(b"event: approval.request")


BENCHMARK = Benchmark(
    "memory",
    "memory of an idle session, of an open stream, and of a prompt that waits for a person",
    run,
    (
        Goal("KiB of an idle session, 10 000 of them", "idle_session_kib", SESSIONS, most=10),
        Goal("MB of the server with 10 000 idle sessions", "idle_total_mb", SESSIONS, most=150),
        Goal(
            "a turn among 10 000 active sessions, against among 10",
            "turn_cpu_us",
            SESSIONS,
            against="placet",
            base_at=10,
            most=1.3,
        ),
        Goal("KiB of an open chat stream, 200 of them", "open_stream_kib", STREAMS, most=45),
        Goal("MB more for 1 000 open streams with a prompt each", "crowd_more_mb", CROWD, most=100),
        Goal("ms for /health among them", "crowd_health_ms", CROWD, most=50),
        Goal("seconds until all 200 have a token of a burst model", "all_have_a_token_s", STREAMS, most=1),
    ),
    "sessions, streams or prompts",
)
