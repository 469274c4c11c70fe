"""`placet serve`: the server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from placet.http.cli.exits import Exit

_DIRECTORY: Final = click.Path(path_type=Path, file_okay=False)
_FILE: Final = click.Path(path_type=Path, dir_okay=False, exists=True)
_OF_CLIENTS: Final = "PLACET_URL"
"""No setting of a server, and meant for the other commands in the same environment."""


@click.command()
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. [8642]")
@click.option("--data-dir", type=_DIRECTORY, help="Database, lock and key. [$XDG_DATA_HOME/placet]")
@click.option("--agent", help="demo, openai, or package.module:name. [demo]")
@click.option("--workspace", type=_DIRECTORY, help="Where tools work. [the current directory]")
@click.option("--config", "file", type=_FILE, help="Settings, a TOML file.")
@click.option(
    "--no-auth", is_flag=True, default=None, help="Take requests without a key; on a loopback address only."
)
def serve(file: Path | None, **flags: Any) -> None:
    """Start the server and serve until SIGTERM or Ctrl-C.

    Every setting has also a variable, PLACET_ and its name in capitals (PLACET_APPROVAL_TIMEOUT_S=600), and a place in
    the file. A flag wins over a variable, and that over the file.

    \b
    Examples:
        placet serve
        placet serve --port 0 --data-dir /tmp/placet --no-auth
        PLACET_API_KEY=... placet serve --host 0.0.0.0 --config placet.toml
    """
    import trio

    from placet.actors.protocol.errors import StartRefused
    from placet.http.config import load_config, unknown_variables
    from placet.http.logs import set_up_logs
    from placet.http.serve import run_server

    set_up_logs()
    for name in unknown_variables(os.environ):
        if name != _OF_CLIENTS:
            click.echo(f"placet: warning: {name} is no setting of mine", err=True)
    try:
        trio.run(run_server, load_config(flags, os.environ, file))
    except StartRefused as refused:
        click.echo(f"placet: cannot start: {refused}", err=True)
        sys.exit(Exit.CONFIG)
