"""What the kernel says of a process. Linux only."""

from __future__ import annotations

import time
from pathlib import Path

_CPUCLOCK_SCHED = 2


def cpu_s(pid: int) -> float:
    """Processor seconds that a process has used, those of its ended threads included.

    Read from the clock that the kernel keeps of every process: it counts nanoseconds, where `/proc/PID/stat` counts hundredths of
    a second. The clock's number is made of the process's, as `clock_getcpuclockid` does.

    Raises:
        ProcessLookupError: there is no such process.
    """
    try:
        return time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)
    except OSError as error:
        raise ProcessLookupError(f"process {pid} is gone") from error


def rss_bytes(pid: int) -> int:
    """Memory that a process holds now.

    Raises:
        ProcessLookupError: there is no such process, or it has ended.
    """
    return _status_kib(pid, "VmRSS") * 1024


def threads(pid: int) -> int:
    """How many threads a process has."""
    return _status_kib(pid, "Threads")


def _status_kib(pid: int, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except FileNotFoundError as error:
        raise ProcessLookupError(f"process {pid} is gone") from error
    for line in lines:
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise ProcessLookupError(f"process {pid} has ended")
