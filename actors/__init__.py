"""The domain: agents, sessions and their approvals, on actors. It knows trio and SQLite and nothing of the wire."""
