"""Every benchmark, by its name. Each module holds one."""

from benchmarks.measures import chat, requests, sse

BENCHMARKS = {module.BENCHMARK.name: module.BENCHMARK for module in (requests, chat, sse)}
