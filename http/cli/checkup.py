"""What the facts about a data directory mean: findings, each with what to do about it. Pure."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from placet.http.cli.progress import size
from placet.http.cli.times import ago

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placet.actors.protocol.records import RunRecord
    from placet.actors.store import Examination
    from placet.http.cli.facts import Database, Entry, Files, Health

STUCK_S: Final = 60.0
"""A run that was stopped and has not ended after so long does not hear it: an agent has some seconds at most to clean up."""


class Severity(IntEnum):
    """How bad it is; also the exit status of `placet doctor`."""

    FINE = 0
    FINDING = 1
    DAMAGED = 2


class Chmod(msgspec.Struct, frozen=True, tag=True):
    """Give a file these permission bits."""

    path: str
    mode: int


class Settle(msgspec.Struct, frozen=True, tag=True):
    """Settle a run of unknown outcome through its server."""

    run_id: str


Repair: TypeAlias = Chmod | Settle


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    Attributes:
        severity: how bad it is.
        code: a stable word for it.
        text: what is the case.
        advice: what to do; empty if nothing is to be done.
        repair: what `--repair` does about it.
    """

    severity: Severity
    code: str
    text: str
    advice: str = ""
    repair: Repair | None = None


def findings(files: Files, database: Database, health: Health | None, now: float) -> list[Finding]:
    """All findings, in the order in which they are told.

    Args:
        files: in the directory.
        database: in it.
        health: of the server; `None` if no process has taken the directory.
        now: Unix seconds.
    """
    if not files.entries:
        return [
            _finding("no_data_directory", "There is no such data directory.", "`placet serve` makes one.")
        ]
    return [
        *_of_files(files),
        *_of_database(database),
        *_of_server(files, database, health),
        *_of_runs(database, health, now),
    ]


def _of_files(files: Files) -> Iterator[Finding]:
    open_to_others = [entry for entry in files.entries if entry.mode & 0o077]
    for entry in open_to_others:
        mode = 0o700 if entry.is_directory else 0o600
        yield _finding(
            "open_to_others",
            f"Others on this machine may get at {entry.path} (mode {entry.mode:o}).{_known_key(entry)}",
            f"chmod {mode:o} {entry.path}",
            Chmod(entry.path, mode),
        )
    for entry in files.entries:
        if not entry.is_ours:
            yield _finding("not_yours", f"{entry.path} belongs to another user.", "Run this as that user.")
    if not open_to_others:
        yield _fine("private", "The data directory is for its owner alone.")


def _known_key(entry: Entry) -> str:
    return (
        " Take its key for known; without the file, the next start makes a new one."
        if entry.path.endswith("api_key")
        else ""
    )


def _of_database(database: Database) -> Iterator[Finding]:
    found = database.examination
    if database.is_missing:
        yield _finding("no_database", "There is no database yet.", "`placet serve` makes one.")
    elif found is None:
        yield _damaged("unreadable", database.error, "Restore a backup, or move the file away.")
    elif found.problems:
        yield _damaged("damaged", f"The database is damaged: {found.problems[0]}.", "Restore a backup.")
    elif found.schema_version > found.known_schema_version:
        yield _finding("newer_schema", _schema(found), "Use the newer Placet that wrote it.")
    elif found.schema_version < found.known_schema_version:
        yield _fine("older_schema", f"{_schema(found)} The next start brings it up to date.")
    else:
        yield _fine(
            "sound",
            f"The database is sound: {size(database.size_bytes)}, schema {found.schema_version}, {_rows(found)}.",
        )
        yield _audit(found)


def _schema(found: Examination) -> str:
    return f"The database has schema {found.schema_version}; this Placet knows {found.known_schema_version}."


def _rows(found: Examination) -> str:
    names = {"sessions": "sessions", "inputs": "session_admissions", "events": "events"}
    return ", ".join(f"{name} {found.counts[table]}" for name, table in names.items())


def _audit(found: Examination) -> Finding:
    broken = found.broken_link
    if broken is None:
        return _fine("audit", f"The audit chain holds, decisions {found.counts['decisions']}.")
    return _damaged(
        "broken_audit",
        f"The audit chain does not hold: decision {broken.number}, {broken.why}.",
        "Someone changed the database. Compare it with a backup before you trust it.",
    )


def _of_server(files: Files, database: Database, health: Health | None) -> Iterator[Finding]:
    if health is None:
        yield _fine("not_served", "No server has taken it.")
        return
    pid, found = files.server_pid, database.examination
    if health.error:
        yield _finding(
            "server_silent",
            f"Process {pid} has taken it, and the server at {health.url} does not say how it is: {health.error}",
            "Give its address by --url, and its key by --key-file.",
        )
    elif found is not None and health.epoch != found.epoch:
        yield _finding(
            "other_server",
            f"Process {pid} has taken it, and the server at {health.url} has another directory.",
            "Give the right address by --url.",
        )
    elif health.status != "ok":
        why = f": {health.store_error}" if health.store_error else ""
        yield _finding("degraded", f"The server at {health.url} is {health.status}{why}.", "See its log.")
    else:
        yield _fine("served", f"The server at {health.url} is well (process {pid}).")


def _of_runs(database: Database, health: Health | None, now: float) -> Iterator[Finding]:
    found = database.examination
    if found is None:
        return
    for run in database.unknown:
        yield _unknown(run, is_served=health is not None)
    if health is not None:
        for run in database.stopping:
            if now - run.admission.updated_at > STUCK_S:
                yield _finding(
                    "stuck",
                    f"Run {run.run_id} was stopped {ago(run.admission.updated_at, now)} and has not ended.",
                    "Its agent does not hear it. A restart of the server ends it.",
                )
    going_on = found.unsettled - len(database.unknown)
    if going_on > 0:
        when = "run or wait" if health is not None else "are taken up by the next start"
        yield _fine("unsettled", f"Inputs that {when}: {going_on}.")
    if found.open_approvals:
        yield _fine(
            "prompts", f"Prompts that wait for a person: {found.open_approvals}; `placet approvals list`."
        )


def _unknown(run: RunRecord, *, is_served: bool) -> Finding:
    start = "" if is_served else "Start the server, then: "
    return _finding(
        "unknown_run",
        f"Nobody knows how far run {run.run_id} came; its session {run.admission.session_id} waits until that is settled.",
        f"{start}placet runs resolve-unknown {run.run_id}",
        Settle(run.run_id) if is_served else None,
    )


def _fine(code: str, text: str) -> Finding:
    return Finding(severity=Severity.FINE, code=code, text=text)


def _finding(code: str, text: str, advice: str, repair: Repair | None = None) -> Finding:
    return Finding(severity=Severity.FINDING, code=code, text=text, advice=advice, repair=repair)


def _damaged(code: str, text: str, advice: str) -> Finding:
    return Finding(severity=Severity.DAMAGED, code=code, text=text, advice=advice)
