"""What is asked of the store: events to append, and under which conditions."""

from __future__ import annotations

import msgspec

from placet.actors.protocol.errors import Conflict, PlacetError
from placet.actors.protocol.events import Event
from placet.actors.protocol.keys import KeyUse


class StreamAppend(msgspec.Struct, frozen=True):
    """Events for the end of one stream.

    Attributes:
        stream: a session id, or `SERVER_STREAM`.
        events: what happened, in order.
        expected_seq: the stream's newest sequence number as its owner knows it, 0 for a session that does not exist yet. `None`
            only for the server's stream, which has no owner: its head is read inside the transaction.
        first_seq: the first event's number, by default the next one. A session jumps ahead when it recovers, since numbers that
            were shown may belong to deltas that a power cut took.
    """

    stream: str
    events: tuple[Event, ...]
    expected_seq: int | None
    first_seq: int | None = None


class KeyFree(msgspec.Struct, frozen=True):
    """No live row holds this `Idempotency-Key`; else `idempotency_key_taken`."""

    principal: str
    family: str
    key: str


class UseFree(msgspec.Struct, frozen=True):
    """No live key stands where this one would; else `idempotency_key_taken`."""

    use: KeyUse


class RuleLive(msgspec.Struct, frozen=True):
    """The rule exists and is not revoked; else `rule_revoked`."""

    rule_id: str


class SessionAbsent(msgspec.Struct, frozen=True):
    """No session has this id; else `session_exists`."""

    session_id: str


Precondition = KeyFree | UseFree | RuleLive | SessionAbsent


class Batch(msgspec.Struct, frozen=True):
    """Appends that are recorded together or not at all.

    Attributes:
        appends: by stream, in the order in which they are numbered.
        at: when it happened, Unix seconds.
        requires: checked inside the transaction, before anything is written.
        relaxed: text deltas alone, which a power cut may take. A crash of the process never takes them.
    """

    appends: tuple[StreamAppend, ...]
    at: float
    requires: tuple[Precondition, ...] = ()
    relaxed: bool = False


class PreconditionFailed(Conflict):
    """What the batch took for granted is not so, and nothing of it was recorded.

    `code` says what: `stale_stream` (the stream has another head), `stale_epoch` (another process owns the database),
    `idempotency_key_taken`, `rule_revoked`, `session_exists`.
    """

    default_code = "stale_stream"


class CorruptTransition(PlacetError):
    """An event does not fit the rows: a mistake of ours, stopped before it was recorded."""

    default_code = "corrupt_transition"
