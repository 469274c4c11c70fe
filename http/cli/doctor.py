"""`placet doctor`: how a data directory and its server are, and what to do."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from placet.http.cli.checkup import Chmod, Finding, Severity, findings
from placet.http.cli.facts import Database, look_at_database, look_at_files, look_at_server
from placet.http.cli.failing import failing, run
from placet.http.cli.options import Door, as_json, asks_server, confirm, yes
from placet.http.cli.output import print_json, print_text
from placet.http.cli.progress import watched
from placet.http.client import settle

if TYPE_CHECKING:
    from pathlib import Path

_MARKS: Final = {Severity.FINE: "✓", Severity.FINDING: "!", Severity.DAMAGED: "✗"}
_WORDS: Final = {Severity.FINE: "fine", Severity.FINDING: "findings", Severity.DAMAGED: "damaged"}


class _Report(msgspec.Struct, frozen=True):
    data_dir: str
    found: list[Finding]
    database: Database

    @property
    def worst(self) -> Severity:
        return max(finding.severity for finding in self.found)


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired, after a question each.")
@yes
@as_json
@asks_server
def doctor(door: Door, repair: bool, yes: bool, as_json: bool) -> None:
    """Check a data directory and its server.

    It looks at the permissions, at the whole database and the chain of the audit, at runs that are stuck or of unknown outcome, and
    asks the server how it is. It changes nothing, unless --repair is given: that closes files to others, and settles runs of
    unknown outcome, which then count as interrupted.

    Exit status: 0 fine · 1 there are findings · 2 the database is damaged.

    \b
    Examples:
        placet doctor
        placet doctor --data-dir /srv/placet --url http://127.0.0.1:9000
        placet doctor --repair --yes
        placet doctor --json | jq '.findings[] | select(.severity > 0)'
    """
    report = _look(door)
    if repair and any(finding.repair for finding in report.found):
        _repair(door, report, yes=yes)
        report = _look(door)
    if as_json:
        print_json(_record(report))
    else:
        _print(report)
    sys.exit(report.worst)


def _look(door: Door) -> _Report:
    with failing():
        data_dir: Path = door.data_dir.absolute()
        files = look_at_files(data_dir)
        database = run(watched, partial(look_at_database, data_dir), lambda: "Reading the database …")
        health = None if files.server_pid is None else door.ask(look_at_server)
    return _Report(str(data_dir), findings(files, database, health, time.time()), database)


def _repair(door: Door, report: _Report, *, yes: bool) -> None:
    for finding in report.found:
        if finding.repair is None:
            continue
        print_text(f"{_MARKS[finding.severity]} {finding.text}", err=True)
        confirm("Repair that?", yes=yes)
        if isinstance(finding.repair, Chmod):
            os.chmod(finding.repair.path, finding.repair.mode)
        else:
            door.run(partial(settle, run_id=finding.repair.run_id))


def _print(report: _Report) -> None:
    print_text(report.data_dir)
    for finding in report.found:
        print_text(f"{_MARKS[finding.severity]} {finding.text}")
        if finding.advice:
            print_text(f"    {finding.advice}")


def _record(report: _Report) -> dict[str, Any]:
    examination = report.database.examination
    return {
        "object": "doctor.report",
        "data_dir": report.data_dir,
        "status": _WORDS[report.worst],
        "findings": msgspec.to_builtins(report.found),
        "database": None if examination is None else msgspec.to_builtins(examination),
    }
