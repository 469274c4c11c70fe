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
)

_MODULES = (
    requests,
    chat,
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
