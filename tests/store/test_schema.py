"""The schema: an older file becomes the newest one with its rows, and nothing in it makes a write dear."""

from __future__ import annotations

from typing import Any

import apsw
import pytest

from placet.actors.store import schema
from placet.actors.store.connection import open_memory
from placet.actors.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, migrate

SESSION = (
    "INSERT INTO sessions (session_id, principal_id, source, ephemeral, head_seq, created_at, last_active, inherited_json)"
    " VALUES ('s', 'api', '', 0, 1, 1.0, 1.0, '[]')"
)
ADMISSION = (
    "INSERT INTO session_admissions (admission_id, request_id, principal_id, target_session_id, lineage_json, payload_json,"
    " payload_digest, intent, status, outcome, owner_epoch, surface, created_at, updated_at)"
    " VALUES (?1, ?1, 'api', 's', '[]', '{}', '', ?2, ?3, ?4, 1, 'chat', 1.0, 1.0)"
)
APPROVAL = (
    "INSERT INTO approvals (request_id, position, admission_id, session_id, principal_id, generation, status, prompt_json)"
    " VALUES ('r', 1, 'a', 's', 'api', 1, ?, '{}')"
)


def of_version(version: int) -> Any:
    """A database that a Placet with this schema has made, with an admission in it."""
    conn: Any = open_memory()
    conn.pragma("application_id", APPLICATION_ID)
    for statements in MIGRATIONS[:version]:
        conn.execute(statements)
    conn.execute("INSERT INTO meta VALUES ('schema_version', ?)", (version,))
    conn.execute(SESSION)
    conn.execute(ADMISSION, ("a", "queue", "queued", None))
    return conn


def migrated(conn: Any) -> Any:
    conn.execute("BEGIN IMMEDIATE")
    migrate(conn)
    conn.execute("COMMIT")
    return conn


def shape(conn: Any) -> list[Any]:
    return list(conn.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall())


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_file_of_any_version_becomes_the_newest_with_its_rows(version: int) -> None:
    old = of_version(version)
    rows = old.execute("SELECT * FROM session_admissions").fetchall()
    new = migrated(old)
    assert shape(new) == shape(migrated(open_memory()))
    assert new.execute("SELECT * FROM session_admissions").fetchall() == rows
    assert new.execute("PRAGMA integrity_check").get == "ok"
    assert new.execute("PRAGMA foreign_key_check").fetchall() == []
    assert schema.schema_version(new) == SCHEMA_VERSION


def test_a_database_cannot_be_changed_by_its_schema_after_a_migration() -> None:
    conn = migrated(of_version(3))
    assert conn.pragma("writable_schema") == 0
    with pytest.raises(apsw.SQLError):
        conn.execute("UPDATE sqlite_schema SET sql = ''")


@pytest.mark.parametrize(
    ("intent", "status", "outcome"),
    [("other", "queued", None), ("queue", "other", None), ("queue", "terminal", "other")],
)
def test_a_ledger_row_has_only_states_that_there_are(intent: str, status: str, outcome: str | None) -> None:
    conn = migrated(of_version(3))
    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        conn.execute(ADMISSION, ("b", intent, status, outcome))
    conn.execute(ADMISSION, ("b", "redirect", "terminal", "cancelled"))


def test_a_prompt_has_only_states_that_there_are() -> None:
    conn = migrated(of_version(3))
    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        conn.execute(APPROVAL, ("other",))
    conn.execute(APPROVAL, ("answered",))


def test_no_insert_makes_a_table_of_its_own_on_the_way() -> None:
    conn = migrated(open_memory())
    tables = conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'sqlite_sequence'")
    for (table,) in tables.fetchall():
        columns = [name for (name,) in conn.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('0' for _ in columns)})"
        steps = conn.execute(f"EXPLAIN {insert}").fetchall()
        assert "OpenEphemeral" not in {step[1] for step in steps}, table
