"""How SQLite means to answer what lists ask: never by going through all that there is, or by sorting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw
import pytest

from placet.actors.protocol.records import RunStatus
from placet.actors.store import schema
from placet.actors.store.queries_runs import RunFilter, runs
from placet.actors.store.queries_sessions import SessionFilter, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator


class Explaining:
    """A connection that notes the plan of whatever it is asked."""

    def __init__(self) -> None:
        self._conn = apsw.Connection(":memory:")
        self._conn.execute("".join(schema.MIGRATIONS))
        self.plan: list[str] = []

    def execute(self, sql: str, values: Any = ()) -> Iterator[Any]:
        self.plan += [row[3] for row in self._conn.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
        return self._conn.execute(sql, values)


@pytest.mark.parametrize("status", [status for status in RunStatus if status is not RunStatus.COMPLETED])
def test_runs_that_are_few_are_not_searched_among_all(status: RunStatus) -> None:
    conn = Explaining()
    runs(conn, RunFilter(status=status), None, 10)  # type: ignore[arg-type]
    assert "SCAN session_admissions" not in conn.plan


def test_a_page_of_runs_is_read_in_order() -> None:
    conn = Explaining()
    runs(conn, RunFilter(), None, 10)  # type: ignore[arg-type]
    assert conn.plan[0] == "SCAN session_admissions"  # by its key, up to the page's end
    assert "USE TEMP B-TREE FOR ORDER BY" not in conn.plan


@pytest.mark.parametrize("after", [None, "s"])
def test_a_page_of_sessions_is_read_in_the_order_of_an_index(after: str | None) -> None:
    conn = Explaining()
    sessions(conn, SessionFilter(), after, 0, 10)  # type: ignore[arg-type]
    assert any("sessions USING INDEX sessions_by_activity" in step for step in conn.plan)
    assert not any(step.startswith("USE TEMP B-TREE") for step in conn.plan)
