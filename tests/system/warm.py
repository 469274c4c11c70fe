"""Server processes that do not import everything anew.

Starting the interpreter and importing costs a second of processor time, and the suite starts hundreds of servers. So each test
process has one *nest*: a process that has imported what `placet serve` needs, and forks when it is asked to. What comes out of the
fork runs the `placet` command with its own arguments, environment, directory and descriptors, and can be killed like any other
process. Tests that are about the command itself use `CommandServer` of `tests.system.server`, which starts a new interpreter.

Between the nest and a server stands a minder, which does nothing but wait for it: only a parent learns how a process ended.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_BYTES = 1024 * 1024
"""A request: arguments and an environment."""

PRELOADED = ("placet.http.cli", "placet.http.asgi", "placet.http.serve", "placet.actors.agents.model")

_NUMBER = struct.Struct("q")


class Warm:
    """A server out of the nest; as much of `trio.Process` as the tests use.

    Attributes:
        pid: of the process.
        stdout: its standard output.
    """

    def __init__(self, stdout: int, status: int) -> None:
        self.pid = _number(os.read(status, _NUMBER.size))
        self.stdout = trio.lowlevel.FdStream(stdout)
        self._status = status
        self._ended: int | None = None
        os.set_blocking(status, False)

    @property
    def returncode(self) -> int | None:
        """As `poll`."""
        return self.poll()

    def poll(self) -> int | None:
        """How it ended; `None` while it runs. A signal is a negative number."""
        if self._ended is None:
            try:
                told = os.read(self._status, _NUMBER.size)
            except BlockingIOError:
                return None
            os.close(self._status)
            self._ended = os.waitstatus_to_exitcode(_number(told))
        return self._ended

    async def wait(self) -> int:
        """How it ended, once it has."""
        while (ended := self.poll()) is None:
            await trio.lowlevel.wait_readable(self._status)
        return ended

    def send_signal(self, number: int) -> None:
        """Send it a signal; nothing if it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


def hatch(arguments: list[str], *, env: Mapping[str, str], cwd: Path, log: int) -> Warm:
    """Start `placet` with these arguments.

    Args:
        arguments: after the program's name.
        env: the whole environment.
        cwd: where it runs.
        log: descriptor that becomes its standard error.
    """
    out, their_out = os.pipe()
    status, their_status = os.pipe()
    request = json.dumps({"arguments": arguments, "env": dict(env), "cwd": str(cwd)}).encode()
    socket.send_fds(_nest(), [request], [their_out, log, their_status])
    os.close(their_out)
    os.close(their_status)
    return Warm(out, status)


@cache
def _nest() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
    with theirs:
        nest = subprocess.Popen(
            [sys.executable, "-m", "tests.system.warm", str(theirs.fileno())], pass_fds=[theirs.fileno()]
        )
    atexit.register(nest.wait)
    atexit.register(ours.close)
    return ours


def _number(data: bytes) -> int:
    if len(data) != _NUMBER.size:
        raise RuntimeError("the nest or a minder is gone")
    value: int = _NUMBER.unpack(data)[0]
    return value


def main() -> None:
    """Be the nest, until the test process is gone."""
    for name in PRELOADED:
        import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the minders
    asked = socket.socket(fileno=int(sys.argv[1]))
    while True:
        request, descriptors, _, _ = socket.recv_fds(asked, MOST_BYTES, 3)
        if not request:
            return
        out, log, status = descriptors
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    asked.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _mind(status)
    told = json.loads(request)
    _become(told, out, log)
    if "PLACET_CRASH_AT" in os.environ:
        _forget()
    import_module("placet.http.cli").main(told["arguments"], prog_name="placet")


def _mind(status: int) -> None:
    """Return in a child; tell its id and, when it has ended, how."""
    pid = os.fork()
    if pid:
        os.write(status, _NUMBER.pack(pid))
        os.write(status, _NUMBER.pack(os.waitpid(pid, 0)[1]))
        os._exit(0)
    os.close(status)


def _become(told: dict[str, object], out: int, log: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for theirs, ours in ((out, 1), (log, 2)):
        os.dup2(theirs, ours)
        os.close(theirs)
    os.environ.clear()
    os.environ.update(told["env"])  # type: ignore[arg-type]
    os.chdir(str(told["cwd"]))


def _forget() -> None:
    """Import Placet anew: the points of a crash look at the environment once, when they are imported."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "placet"]:
        del sys.modules[name]


if __name__ == "__main__":
    main()
