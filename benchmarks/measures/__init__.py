"""Every benchmark, by its name. Each module holds one."""

from benchmarks.measures import (
    admissions,
    approvals,
    chat,
    growth,
    guard,
    memory,
    prompts,
    requests,
    resume,
    sse,
    startup,
    stops,
    turns,
)

_MODULES = (
    requests,
    chat,
    turns,
    sse,
    admissions,
    approvals,
    prompts,
    stops,
    memory,
    resume,
    startup,
    growth,
    guard,
)
BENCHMARKS = {module.BENCHMARK.name: module.BENCHMARK for module in _MODULES}
