"""Every benchmark, by its name. Each module holds one."""

from benchmarks.measures import admissions, approvals, chat, guard, prompts, requests, sse, stops

_MODULES = (requests, chat, sse, admissions, approvals, prompts, stops, guard)
BENCHMARKS = {module.BENCHMARK.name: module.BENCHMARK for module in _MODULES}
