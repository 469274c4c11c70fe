"""What a turn costs from end to end: a chat request, the model's answer, and the stream back to the client."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import trio

from benchmarks.contestants import Minimal, Peer, Placet, RawAsgi
from benchmarks.contestants.contestant import KEY
from benchmarks.harness.bench import Bench, Benchmark
from benchmarks.harness.client import request
from benchmarks.harness.goals import Goal
from benchmarks.harness.load import load
from benchmarks.harness.model import Answer, mark, next_turn
from benchmarks.harness.plot import Plot

if TYPE_CHECKING:
    from benchmarks.harness.client import Connection
    from benchmarks.harness.processes import Running

CONNECTIONS = (1, 8, 32)
TOKENS = (16, 200)
TURNS = {1: 40, 8: 96, 32: 192}
PEER_TURNS = {1: 2, 8: 8, 32: 32}  # one takes it most of a second
IDEAL_S = 0.320


async def run(bench: Bench) -> None:
    """Every length of answer at every number of connections; then a model that takes its time."""
    async with bench.started(Placet(), RawAsgi(), Minimal(), Peer()) as servers:
        for server in servers.values():
            await _turns(bench, server, 1, 2)
        for tokens in bench.pick(TOKENS, TOKENS[:1]):
            for connections in bench.pick(CONNECTIONS, (1, 4)):
                talking = {name: s for name, s in servers.items() if tokens == 16 or _has_model(name)}
                await bench.interleave(
                    {name: partial(_measure, bench, s, tokens, connections) for name, s in talking.items()}
                )
        await bench.interleave(
            {name: partial(_paced, bench, s) for name, s in servers.items() if name == "placet"}
        )


def _has_model(name: str) -> bool:
    return name not in ("raw-asgi", "minimal")


class _Turns:
    """Turns, and for each what the client saw of it beside what the model saw."""

    def __init__(self, bench: Bench) -> None:
        self._calls = bench.model.calls
        self.first_event_s: list[float] = []
        self.first_content_s: list[float] = []
        self.overhead_s: list[float] = []

    async def one(self, connection: Connection, _: int) -> None:
        """One turn, read to its end."""
        number = next_turn()
        body = {"model": "parrot", "stream": True, "messages": [{"role": "user", "content": mark(number)}]}
        begun = trio.current_time()
        await connection.send(request("POST", "/v1/chat/completions", body, key=KEY))
        await connection.head()
        await connection.until(b"data: ")
        self.first_event_s.append(trio.current_time() - begun)
        await connection.until(b"word ")
        content = trio.current_time()
        await connection.until(b"data: [DONE]")
        ended = trio.current_time()
        await connection.until(b"\r\n0\r\n\r\n")
        if call := self._calls.pop(number, None):
            self.first_content_s.append(content - call.first_s)
            self.overhead_s.append(ended - begun - call.own_s)


async def _turns(bench: Bench, server: Running, connections: int, turns: int) -> None:
    await load(server, _Turns(bench).one, connections=connections, operations=turns)


async def _measure(bench: Bench, server: Running, tokens: int, connections: int) -> None:
    bench.model.answer = Answer(tokens)
    turns = _Turns(bench)
    many = PEER_TURNS if server.name == Peer.name else TURNS
    operations = bench.pick(many.get(connections, 0), 4)
    await _turns(bench, server, connections, 0 if server.name == Peer.name else connections)
    found = await load(server, turns.one, connections=connections, operations=operations)
    add = partial(bench.findings.add, server.name, at=connections)
    add(f"turns_{tokens}_per_s", found.per_s)
    add(f"turn_{tokens}_cpu_us", found.cpu_us)
    add(f"first_event_{tokens}_ms", median(turns.first_event_s) * 1e3)
    if turns.overhead_s:
        add(f"first_content_{tokens}_added_ms", median(turns.first_content_s) * 1e3)
        add(f"turn_{tokens}_overhead_ms", median(turns.overhead_s) * 1e3)


async def _paced(bench: Bench, server: Running) -> None:
    """As many turns as there are connections take as long as one, if nothing stands in the way."""
    bench.model.answer = Answer(16, IDEAL_S / 16)
    connections = bench.pick(32, 2)
    found = await load(
        server, _Turns(bench).one, connections=connections, operations=connections * bench.pick(8, 1)
    )
    bench.findings.add(server.name, "paced_of_ideal", found.per_s / (connections / IDEAL_S), connections)


def _against_peer(connections: int) -> tuple[Goal, ...]:
    goal = partial(Goal, at=connections, against=Peer.name)
    where = f"16 tokens, {connections} connections, against the peer"
    return (
        goal(f"turns/s, {where}", "turns_16_per_s", least=100),
        goal(f"CPU per turn, {where}", "turn_16_cpu_us", most=1 / 50),
    )


BENCHMARK = Benchmark(
    "chat",
    "a chat turn of the agent that asks a model: turns a second, time to the first token, CPU per turn",
    run,
    (
        *_against_peer(8),
        *_against_peer(32),
        Goal(
            "turn overhead over the model's own time, against the peer",
            "turn_16_overhead_ms",
            1,
            against=Peer.name,
            most=1 / 50,
        ),
        Goal("32 turns on a model that takes 320 ms, of the ideal", "paced_of_ideal", 32, least=0.9),
        Goal(
            "first event, admission on disk, against raw ASGI's first event",
            "first_event_16_ms",
            1,
            against="raw-asgi",
            most=2.5,
        ),
        Goal(
            "model's first token to client's, against raw ASGI's first event",
            "first_content_16_added_ms",
            1,
            against="raw-asgi",
            base="first_event_16_ms",
            most=1.5,
        ),
    ),
    "connections",
    (
        Plot(
            "chat-rate",
            "Turns with an answer of 16 tokens",
            "connections",
            "turns a second",
            {"": "turns_16_per_s"},
        ),
        Plot(
            "chat-cpu",
            "CPU of a turn with an answer of 16 tokens",
            "connections",
            "microseconds of CPU",
            {"": "turn_16_cpu_us"},
        ),
        Plot(
            "chat-overhead",
            "Turn time beyond the model's own",
            "connections",
            "milliseconds",
            {"": "turn_16_overhead_ms"},
        ),
    ),
)
