"""The limit of the store: SQLite written by one thread that waits for nobody.

It writes the rows that an admission becomes (three events and five rows of tables), with the same durability, and checks nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

TABLES = """
CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT, seq INTEGER, kind TEXT, at REAL, admission TEXT, body TEXT,
  UNIQUE (stream, seq)) STRICT;
CREATE INDEX of_admission ON events (admission, position);
CREATE TABLE sessions (id TEXT PRIMARY KEY, owner TEXT, at REAL) STRICT;
CREATE TABLE ledger (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, session TEXT, payload TEXT, at REAL) STRICT;
CREATE TABLE messages (seq INTEGER PRIMARY KEY, body TEXT) STRICT;
CREATE TABLE aliases (run TEXT PRIMARY KEY, admission TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE keys (owner TEXT, family TEXT, key TEXT, print TEXT, admission TEXT,
  PRIMARY KEY (owner, family, key)) STRICT, WITHOUT ROWID;
"""
BODIES = (
    "{}" + " " * 60,
    '{"text":"' + "Please tidy the build directory. " * 6 + '"}' + " " * 200,
    "{}" + " " * 90,
)


class RawWriter:
    """A database of its own. A context manager that closes it.

    Args:
        path: of the file, which must not exist.
    """

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        self._db.pragma("journal_mode", "WAL")
        self._db.pragma("synchronous", "FULL")
        self._db.execute(TABLES)
        self._number = 0

    def __enter__(self) -> RawWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._db.close()

    def busy(self, batch: int, seconds: float) -> list[float]:
        """Commit batches of that size for that long; how long each admission waited."""
        latencies_s: list[float] = []
        end = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < end or not latencies_s:
            self._commit(batch)
            latencies_s += [time.perf_counter() - begun] * batch
        return latencies_s

    def paced(self, count: int, pause_s: float) -> list[float]:
        """Commit single admissions with a pause before each; how long each took."""
        return [self._paced_one(pause_s) for _ in range(count)]

    def _paced_one(self, pause_s: float) -> float:
        time.sleep(pause_s)  # noqa: TID251 - a thread of its own, on the real clock
        begun = time.perf_counter()
        self._commit(1)
        return time.perf_counter() - begun

    def _commit(self, batch: int) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        for _ in range(batch):
            self._number += 1
            self._admit(f"admission-{self._number:012}")
        self._db.execute("COMMIT")

    def _admit(self, name: str) -> None:
        execute = self._db.execute
        for seq, body in enumerate(BODIES, 1):
            event = (f"s-{name}", seq, "AdmissionAccepted", 1.0, name, body)
            execute(
                "INSERT INTO events (stream, seq, kind, at, admission, body) VALUES (?, ?, ?, ?, ?, ?)", event
            )
        execute("INSERT INTO sessions VALUES (?, 'api', 1.0)", (f"s-{name}",))
        execute(
            "INSERT INTO ledger (id, session, payload, at) VALUES (?, ?, ?, 1.0)",
            (name, f"s-{name}", BODIES[1]),
        )
        execute("INSERT INTO messages (body) VALUES (?)", (BODIES[1],))
        execute("INSERT INTO aliases VALUES (?, ?)", (f"chatcmpl-{name}", name))
        execute("INSERT INTO keys VALUES ('api', 'chat', ?, ?, ?)", (name, "f" * 64, name))
