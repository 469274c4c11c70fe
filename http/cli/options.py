"""What the commands that ask a server have in common: their options, and the door through which they ask."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from placet.http.cli.failing import failing, run
from placet.http.client import Client, default_data_dir, find_target

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

DIRECTORY: Final = click.Path(path_type=Path, file_okay=False)
_FILE: Final = click.Path(path_type=Path, dir_okay=False)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
"""The flag `--json`."""

data_dir = click.option(
    "--data-dir",
    type=DIRECTORY,
    help="The data directory of a server on this machine. [PLACET_DATA_DIR, else $XDG_DATA_HOME/placet]",
)
"""The option `--data-dir`."""

at_most = click.option(
    "--limit",
    "most",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="The most to list; 0 lists all.",
)
"""The option `--limit`."""

yes = click.option("--yes", is_flag=True, help="Do it without asking.")
"""The flag `--yes`."""


class Door:
    """A server that a command was told of.

    Args:
        url: as given, or `None`; so are the others.
        key: the key itself.
        key_file: a file that holds it.
        data_dir: of a server on this machine.
    """

    def __init__(
        self, url: str | None, key: str | None, key_file: Path | None, data_dir: Path | None
    ) -> None:
        self._given = (url, key, key_file)
        self._data_dir = data_dir

    @property
    def data_dir(self) -> Path:
        """The data directory: the one given, else the usual one."""
        return default_data_dir(os.environ) if self._data_dir is None else self._data_dir

    def run(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Do some work with a client of the server.

        What goes wrong is said on standard error, and ends the process with the status for it.
        """
        with failing():
            return self.ask(work)

    def request(self, method: str, path: str) -> dict[str, Any]:
        """What the server answers to one request; errors as for `run`."""
        return self.run(lambda client: client.ask(method, path))

    def ask(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """As `run`, for who goes on when something goes wrong.

        Raises:
            PlacetError: what went wrong.
            KeyboardInterrupt: Ctrl-C, where the work does not take it itself.
        """
        url, key, key_file = self._given
        target = find_target(url=url, key=key, key_file=key_file, data_dir=self.data_dir, environ=os.environ)

        async def with_client() -> T:
            async with Client(target) as client:
                return await work(client)

        return run(with_client)


def asks_server(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name a server, and the door to it as first argument."""

    @click.option("--url", help="The server. [PLACET_URL, else http://127.0.0.1:8642]")
    @click.option("--key", help="The key; others on this machine may see it. [PLACET_API_KEY]")
    @click.option("--key-file", type=_FILE, help="A file that holds the key. [the local server's own]")
    @data_dir
    @functools.wraps(command)
    def with_door(
        url: str | None, key: str | None, key_file: Path | None, data_dir: Path | None, **rest: Any
    ) -> Any:
        return command(Door(url, key, key_file, data_dir), **rest)

    return with_door


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be taken back; without a terminal, `--yes` must have said it.

    Args:
        question: what is to be done, as a question.
        yes: whether `--yes` was given.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here. Give --yes if it is meant.")
    click.confirm(question, abort=True, err=True)
