"""The table of responses."""

from __future__ import annotations

RESPONSES = """
CREATE TABLE responses (
  run_id       TEXT PRIMARY KEY,
  position     INTEGER NOT NULL UNIQUE,
  admission_id TEXT NOT NULL UNIQUE REFERENCES session_admissions (admission_id) ON DELETE CASCADE,
  principal_id TEXT NOT NULL,
  conversation TEXT,
  previous_id  TEXT,
  stored       INTEGER NOT NULL,
  filing_json  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX responses_of_conversation ON responses (principal_id, conversation, position)
  WHERE conversation IS NOT NULL AND stored = 1;
"""
