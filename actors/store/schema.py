"""The tables, and how an older file becomes a newer one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.errors import StartRefused
from placet.actors.store.schema_responses import RESPONSES

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection

APPLICATION_ID = 0x506C6374
"""`Plct`, in the file's header: what tells our file from another program's."""

_V1 = """
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  position     INTEGER PRIMARY KEY AUTOINCREMENT,
  stream       TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  epoch        INTEGER NOT NULL,
  at           REAL NOT NULL,
  admission_id TEXT,
  body         TEXT NOT NULL,
  UNIQUE (stream, seq)
) STRICT;
CREATE INDEX events_of_admission ON events (admission_id, position) WHERE admission_id IS NOT NULL;
CREATE INDEX events_of_inbox ON events (position)
  WHERE kind IN ('AdmissionResumed', 'ApprovalClosed', 'ApprovalDecided', 'ApprovalExpiring', 'ApprovalExtended',
    'ApprovalOpened');

CREATE TABLE sessions (
  session_id         TEXT PRIMARY KEY,
  principal_id       TEXT NOT NULL,
  source             TEXT NOT NULL,
  ephemeral          INTEGER NOT NULL,
  title              TEXT,
  system_prompt      TEXT,
  head_seq           INTEGER NOT NULL,
  runtime_generation INTEGER NOT NULL DEFAULT 0,
  runtime_revision   INTEGER NOT NULL DEFAULT 0,
  created_at         REAL NOT NULL,
  last_active        REAL NOT NULL,
  parent_session_id  TEXT,
  inherited_json     TEXT NOT NULL,
  archived           INTEGER NOT NULL DEFAULT 0,
  pinned             INTEGER NOT NULL DEFAULT 0,
  hidden             INTEGER NOT NULL DEFAULT 0,
  unread             INTEGER NOT NULL DEFAULT 0,
  end_reason         TEXT,
  ended_at           REAL
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (last_active) WHERE ephemeral = 0;
CREATE INDEX sessions_to_tidy ON sessions (last_active) WHERE ephemeral = 1;

CREATE TABLE session_admissions (
  seq               INTEGER PRIMARY KEY,
  admission_id      TEXT NOT NULL UNIQUE,
  request_id        TEXT NOT NULL,
  principal_id      TEXT NOT NULL,
  target_session_id TEXT NOT NULL REFERENCES sessions ON DELETE RESTRICT,
  lineage_json      TEXT NOT NULL,
  payload_json      TEXT NOT NULL,
  payload_digest    TEXT NOT NULL,
  intent            TEXT NOT NULL DEFAULT 'queue' CHECK (intent IN ('queue', 'steer', 'redirect')),
  status            TEXT NOT NULL CHECK (status IN ('queued', 'started', 'unknown', 'terminal')),
  outcome           TEXT CHECK (outcome IN ('completed', 'failed', 'interrupted', 'rejected', 'cancelled')),
  owner_epoch       INTEGER NOT NULL,
  generation        INTEGER,
  result_json       TEXT,
  surface           TEXT NOT NULL,
  stopping          INTEGER NOT NULL DEFAULT 0,
  steering_json     TEXT NOT NULL DEFAULT '[]',
  merged            INTEGER NOT NULL DEFAULT 0,
  created_at        REAL NOT NULL,
  updated_at        REAL NOT NULL,
  CHECK ((status = 'terminal') = (outcome IS NOT NULL)),
  CHECK (status != 'queued' OR generation IS NULL)
) STRICT;
CREATE UNIQUE INDEX one_started_per_session ON session_admissions (target_session_id) WHERE status = 'started';
CREATE INDEX admissions_unsettled ON session_admissions (target_session_id, seq) WHERE status != 'terminal';
CREATE INDEX admissions_of_session ON session_admissions (target_session_id, seq);
CREATE INDEX admissions_to_merge ON session_admissions (updated_at) WHERE status = 'terminal' AND merged = 0;
CREATE TRIGGER terminal_is_final BEFORE UPDATE ON session_admissions
  WHEN old.status = 'terminal' AND NOT (new.merged = 1 AND old.merged = 0 AND new.status = 'terminal'
    AND new.outcome IS old.outcome AND new.result_json IS old.result_json)
BEGIN SELECT raise(ABORT, 'a terminal admission never changes'); END;

CREATE TABLE messages (
  ledger_seq   INTEGER NOT NULL REFERENCES session_admissions ON DELETE CASCADE,
  position     INTEGER NOT NULL,
  message_json TEXT NOT NULL,
  PRIMARY KEY (ledger_seq, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
  request_id   TEXT PRIMARY KEY,
  position     INTEGER NOT NULL UNIQUE,
  admission_id TEXT NOT NULL REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  session_id   TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  generation   INTEGER NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('open', 'approved', 'denied', 'expired', 'cancelled', 'answered')),
  prompt_json  TEXT NOT NULL,
  choice       TEXT,
  decided_by   TEXT,
  decided_at   REAL,
  reason       TEXT,
  rule_id      TEXT,
  answer       TEXT,
  warned       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX approvals_by_status ON approvals (status, position);
CREATE INDEX approvals_of_session ON approvals (session_id, position);
CREATE INDEX approvals_of_admission ON approvals (admission_id, position);

CREATE TABLE decisions (
  number    INTEGER PRIMARY KEY,
  position  INTEGER NOT NULL UNIQUE,
  record    TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash      TEXT NOT NULL
) STRICT;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
BEGIN SELECT raise(ABORT, 'a decision is never deleted'); END;
CREATE TRIGGER decisions_are_final BEFORE UPDATE ON decisions
BEGIN SELECT raise(ABORT, 'a decision never changes'); END;

CREATE TABLE rules (
  rule_id      TEXT PRIMARY KEY,
  position     INTEGER NOT NULL UNIQUE,
  scope        TEXT NOT NULL CHECK (scope IN ('session', 'always')),
  principal_id TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  rule_key     TEXT NOT NULL,
  rule_json    TEXT NOT NULL,
  revoked_at   REAL,
  revoked_by   TEXT
) STRICT;
CREATE INDEX rules_live ON rules (principal_id, rule_key) WHERE revoked_at IS NULL;
CREATE INDEX rules_of_session ON rules (session_id) WHERE revoked_at IS NULL AND scope = 'session';

CREATE TABLE run_aliases (
  run_id       TEXT PRIMARY KEY,
  position     INTEGER NOT NULL UNIQUE,
  admission_id TEXT NOT NULL REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  surface      TEXT NOT NULL,
  created_at   REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_of_admission ON run_aliases (admission_id);

CREATE TABLE idempotency_keys (
  principal    TEXT NOT NULL,
  family       TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  admission_id TEXT NOT NULL REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  expires_at   REAL,
  PRIMARY KEY (principal, family, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_of_admission ON idempotency_keys (admission_id);
CREATE INDEX keys_to_expire ON idempotency_keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE tombstones (
  admission_id TEXT PRIMARY KEY,
  principal    TEXT NOT NULL,
  family       TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  run_id       TEXT NOT NULL,
  outcome      TEXT NOT NULL,
  result_json  TEXT NOT NULL,
  expires_at   REAL NOT NULL,
  UNIQUE (principal, family, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (
  admission_id TEXT NOT NULL REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  step         TEXT NOT NULL,
  call_id      TEXT,
  started      INTEGER NOT NULL,
  ended        INTEGER,
  failed       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (admission_id, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
  sha256 TEXT PRIMARY KEY,
  bytes  BLOB NOT NULL
) STRICT;
CREATE TABLE blob_uses (
  sha256       TEXT NOT NULL REFERENCES blobs,
  admission_id TEXT NOT NULL REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  PRIMARY KEY (sha256, admission_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_of_admission ON blob_uses (admission_id);

CREATE TABLE merges (
  stream    TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  PRIMARY KEY (stream, first_seq)
) STRICT, WITHOUT ROWID;
"""

_V2 = """
CREATE TABLE graves (
  grave    TEXT PRIMARY KEY,
  head_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE key_uses (
  principal   TEXT NOT NULL,
  family      TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  subject     TEXT NOT NULL,
  expires_at  REAL NOT NULL,
  PRIMARY KEY (principal, family, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_uses_to_expire ON key_uses (expires_at);
"""

_V3 = """
CREATE TABLE watermarks (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_news ON events (position)
  WHERE kind IN ('AdmissionResumed', 'AdmissionSettled', 'ApprovalClosed', 'ApprovalDecided', 'ApprovalExpiring',
    'ApprovalExtended', 'ApprovalOpened');
"""

_V4 = """
DROP INDEX sessions_by_activity;
CREATE INDEX sessions_by_activity ON sessions (last_active, session_id) WHERE ephemeral = 0;
CREATE INDEX admissions_not_completed ON session_admissions (outcome) WHERE outcome != 'completed';

DROP INDEX events_of_inbox;
CREATE INDEX events_of_inbox ON events (position)
  WHERE kind = 'AdmissionResumed' OR kind = 'ApprovalClosed' OR kind = 'ApprovalDecided' OR kind = 'ApprovalExpiring'
    OR kind = 'ApprovalExtended' OR kind = 'ApprovalOpened';
DROP INDEX events_of_news;
CREATE INDEX events_of_news ON events (position)
  WHERE kind = 'AdmissionResumed' OR kind = 'AdmissionSettled' OR kind = 'ApprovalClosed' OR kind = 'ApprovalDecided'
    OR kind = 'ApprovalExpiring' OR kind = 'ApprovalExtended' OR kind = 'ApprovalOpened';

PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
  'intent IN (''queue'', ''steer'', ''redirect'')',
  'intent = ''queue'' OR intent = ''steer'' OR intent = ''redirect'''),
  'status IN (''queued'', ''started'', ''unknown'', ''terminal'')',
  'status = ''queued'' OR status = ''started'' OR status = ''unknown'' OR status = ''terminal'''),
  'outcome IN (''completed'', ''failed'', ''interrupted'', ''rejected'', ''cancelled'')',
  'outcome = ''completed'' OR outcome = ''failed'' OR outcome = ''interrupted'' OR outcome = ''rejected'''
  || ' OR outcome = ''cancelled''')
  WHERE name = 'session_admissions';
UPDATE sqlite_schema SET sql = replace(sql,
  'status IN (''open'', ''approved'', ''denied'', ''expired'', ''cancelled'', ''answered'')',
  'status = ''open'' OR status = ''approved'' OR status = ''denied'' OR status = ''expired'' OR status = ''cancelled'''
  || ' OR status = ''answered''')
  WHERE name = 'approvals';
PRAGMA writable_schema = RESET;
"""
"""What is rare in a list is read from an index, and a page in the order of one.

For every row that is written SQLite makes a table of any list of more than two values that a check or an index has: half of what a
write cost it. A chain of OR costs nothing. A check is changed in its text alone, as sqlite.org/lang_altertable.html has it for
changes that make no difference to a row.
"""

MIGRATIONS = (_V1 + RESPONSES, _V2, _V3, _V4)
"""What leads from each schema version to the next. Only ever appended to: a file in the field was made by these very words."""

SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(conn: Connection) -> int:
    """The version of the file behind `conn`; 0 for one that holds nothing yet.

    Raises:
        StartRefused: it is a database, but another program's.
    """
    if conn.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None:
        return 0
    if conn.pragma("application_id") != APPLICATION_ID:
        raise StartRefused(
            "placet.db is a database of another program. Move it away or choose another --data-dir."
        )
    return int(conn.execute("SELECT value FROM meta WHERE name = 'schema_version'").get)


def migrate(conn: Connection) -> None:
    """Bring the file to `SCHEMA_VERSION`. Must be called inside a write transaction, so that it happens whole or not at all."""
    version = schema_version(conn)
    if version == 0:
        conn.pragma("application_id", APPLICATION_ID)
    for statements in MIGRATIONS[version:]:
        conn.execute(statements)
    conn.execute("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?)", (SCHEMA_VERSION,))
