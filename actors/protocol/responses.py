"""A response as the store tells of it."""

from __future__ import annotations

import msgspec

from placet.actors.protocol.filing import Filing
from placet.actors.protocol.records import AdmissionRecord


class ResponseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One response.

    Attributes:
        run_id: its id, the first public id of its admission.
        filing: what it is filed under.
        stored: whether it may still be read and gone on from.
        merged: whether its deltas were merged, so that its events no longer give the frames that were sent.
        first_seq: the number of its admission's first event in its session's stream.
        last_seq: of the newest one.
        admission: what it does.
    """

    run_id: str
    filing: Filing
    stored: bool
    merged: bool
    first_seq: int
    last_seq: int
    admission: AdmissionRecord
