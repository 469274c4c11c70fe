"""The shared words, pure: no clock, no loop, no disk.

They are imported from the module that names their subject, for a reader to see what is spoken of: `ids`, `limits`, `errors`,
`messages` (the two kinds of message), `conversation` (what a client says), `approvals` (what is asked and decided), `commands`
and `answers` (what a session is asked, and answers), `events` (what has happened), `records` (how things stand).
"""
