"""The same server under a hypercorn that somebody else starts: settings from the environment, no line that says it listens."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import trio

from tests.system.server import CommandServer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.warm import Warm

LOOK_EVERY_S = 0.05


class HypercornServer(CommandServer):
    """`hypercorn -k trio placet.http.asgi:app`."""

    def command(self) -> list[str]:
        """How it is started; hypercorn does not say which port it took, so it is told one."""
        if not self.port:
            self.port = _free_port()
        command = [sys.executable, "-m", "hypercorn", "-k", "trio", "--bind", f"127.0.0.1:{self.port}"]
        return [*command, "placet.http.asgi:app"]

    def environment(self) -> dict[str, str]:
        """All settings as variables."""
        self.settings |= {"data_dir": self._data, "workspace": self.work, "agent": self.agent}
        return super().environment()

    @property
    def _data(self) -> Path:
        return self.database.parent

    async def answers(self, process: Warm | trio.Process) -> None:
        """Wait until it takes connections."""
        while True:
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", self.port)
            except OSError:
                assert process.poll() is None, self.log
                await trio.sleep(LOOK_EVERY_S)
            else:
                await stream.aclose()
                return


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
