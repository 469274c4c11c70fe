"""A Placet server in a process of its own, and what the kernel says of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = "placet: listening on "


@dataclass(frozen=True)
class Server:
    """A running server."""

    host: str
    port: int
    pid: int

    @property
    def rss_bytes(self) -> int:
        """Memory that it holds now."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("the server is gone")

    @property
    def cpu_s(self) -> float:
        """Processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def placet(*flags: str, agent: str = "demo") -> Iterator[Server]:
    """Start `placet serve` without keys on a free port and a data directory of its own; stop it at the end of the block."""
    with tempfile.TemporaryDirectory() as data_dir:
        command = [sys.executable, "-m", "placet", "serve", "--port", "0", "--no-auth", "--agent", agent]
        process = subprocess.Popen(
            [*command, "--data-dir", data_dir, *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert process.stdout is not None
            url = urlsplit(process.stdout.readline().removeprefix(_LINE).strip())
            if url.hostname is None or url.port is None:
                raise RuntimeError("the server did not start")
            yield Server(url.hostname, url.port, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=30)
            if process.stdout is not None:
                process.stdout.close()
