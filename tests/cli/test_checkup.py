"""What the facts about a data directory mean."""

from __future__ import annotations

from typing import Any

import pytest

from placet.actors.store import BrokenLink, Examination
from placet.http.cli.checkup import Chmod, Finding, Severity, findings
from placet.http.cli.facts import Database, Entry, Files, Health

NOW = 1_000_000.0
COUNTS = dict.fromkeys(("sessions", "session_admissions", "events", "decisions"), 1)
OURS = (Entry("/d", 0o700, is_directory=True), Entry("/d/placet.db", 0o600))
WELL = Health(url="http://h", status="ok", epoch=3)


def files(*entries: Entry, pid: int | None = None) -> Files:
    return Files(entries=entries or OURS, server_pid=pid)


def database(**more: Any) -> Database:
    usual: dict[str, Any] = {
        "schema_version": 1,
        "known_schema_version": 1,
        "sqlite_version": "3",
        "epoch": 3,
        "problems": (),
        "broken_link": None,
        "counts": COUNTS,
        "unsettled": 0,
        "open_approvals": 0,
        "size_bytes": 1,
    }
    return Database(examination=Examination(**usual | more), size_bytes=5_000_000)


def coded(found: list[Finding]) -> dict[str, Finding]:
    return {finding.code: finding for finding in found}


def test_a_healthy_directory_has_no_findings() -> None:
    found = findings(files(), database(), None, NOW)

    assert [finding.code for finding in found] == ["private", "sound", "audit", "not_served"]
    assert max(finding.severity for finding in found) is Severity.FINE
    assert "5.0 MB" in coded(found)["sound"].text


def test_a_directory_that_others_may_read_can_be_closed() -> None:
    found = findings(
        files(Entry("/d", 0o755, is_directory=True), Entry("/d/api_key", 0o640)), database(), None, NOW
    )

    repairs = [finding.repair for finding in found if finding.code == "open_to_others"]
    assert repairs == [Chmod("/d", 0o700), Chmod("/d/api_key", 0o600)]
    assert "Take its key for known" in found[1].text
    assert "Take its key" not in found[0].text


def test_a_file_of_another_user_is_told() -> None:
    assert "not_yours" in coded(findings(files(Entry("/d", 0o700, is_ours=False)), database(), None, NOW))


@pytest.mark.parametrize(
    ("given", "code", "severity"),
    [
        (database(problems=("row 5 missing",)), "damaged", Severity.DAMAGED),
        (database(broken_link=BrokenLink(4, "it is missing")), "broken_audit", Severity.DAMAGED),
        (Database(error="/d/placet.db cannot be read"), "unreadable", Severity.DAMAGED),
        (Database(error="none", is_missing=True), "no_database", Severity.FINDING),
        (database(schema_version=2), "newer_schema", Severity.FINDING),
        (database(schema_version=0), "older_schema", Severity.FINE),
    ],
)
def test_how_bad_the_database_is(given: Database, code: str, severity: Severity) -> None:
    found = findings(files(), given, None, NOW)

    assert coded(found)[code].severity is severity
    assert max(finding.severity for finding in found) is severity
    assert "sound" not in coded(found) or code == "broken_audit"


def test_a_directory_that_is_not_there() -> None:
    assert [
        finding.code for finding in findings(Files(entries=(), server_pid=None), database(), None, NOW)
    ] == ["no_data_directory"]


@pytest.mark.parametrize(
    ("health", "code", "severity"),
    [
        (WELL, "served", Severity.FINE),
        (Health(url="http://h", error="No answer."), "server_silent", Severity.FINDING),
        (Health(url="http://h", status="ok", epoch=9), "other_server", Severity.FINDING),
        (
            Health(url="http://h", status="degraded", store_error="disk full", epoch=3),
            "degraded",
            Severity.FINDING,
        ),
    ],
)
def test_how_the_server_is(health: Health, code: str, severity: Severity) -> None:
    assert coded(findings(files(pid=7), database(), health, NOW))[code].severity is severity


def test_what_waits_is_no_trouble() -> None:
    idle = coded(findings(files(), database(unsettled=2, open_approvals=1), None, NOW))
    busy = coded(findings(files(pid=7), database(unsettled=2), WELL, NOW))

    assert (idle["unsettled"].severity, idle["prompts"].severity) == (Severity.FINE, Severity.FINE)
    assert "next start: 2" in idle["unsettled"].text
    assert "run or wait: 2" in busy["unsettled"].text
