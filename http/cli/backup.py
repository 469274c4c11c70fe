"""`placet backup`: a copy of the database, taken while the server runs."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import click

from placet.actors.store import backup as copy_database
from placet.http.cli.facts import size_bytes
from placet.http.cli.failing import failing, run
from placet.http.cli.options import as_json, data_dir
from placet.http.cli.output import print_json, print_text
from placet.http.cli.progress import size, watched
from placet.http.client import default_data_dir


@click.command()
@click.argument("to", required=False, type=click.Path(path_type=Path))
@data_dir
@as_json
def backup(to: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Copy the database to the file TO while the server runs, and check the copy before it gets its name.

    TO may be a directory. Without it the copy goes into the current directory, named after the time. What exists is never
    overwritten. The copy holds everything but the API key; to restore it, put it as placet.db into an empty data directory.

    Exit status: 0 the copy is there and sound · 1 it is not.

    \b
    Examples:
        placet backup
        placet backup /var/backups/placet.db --data-dir /srv/placet
        mkdir -m 700 restored && cp placet-20261130-120000.db restored/placet.db && placet serve --data-dir restored
    """
    source = (default_data_dir(os.environ) if data_dir is None else data_dir).absolute()
    target = _target(to)
    if not target.parent.is_dir():
        raise click.UsageError(f"There is no directory {target.parent}.")
    unfinished = target.with_name(f"{target.name}.part")
    whole = size_bytes(source)

    def describe() -> str:
        return f"Copying: {size(_size(unfinished))} of about {size(whole)}"

    with failing():
        run(watched, partial(copy_database, source, target), describe)
    if as_json:
        print_json({"object": "backup", "path": str(target), "size_bytes": _size(target), "verified": True})
    else:
        print_text(f"{target}: {size(_size(target))}, checked")


def _target(to: Path | None) -> Path:
    name = time.strftime("placet-%Y%m%d-%H%M%S.db")
    target = Path(name) if to is None else to / name if to.is_dir() else to
    return target.absolute()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
