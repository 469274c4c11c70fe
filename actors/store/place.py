"""Where an event is being recorded, which is all that a projection knows beside the event itself."""

from __future__ import annotations

import msgspec

from placet.actors.store.batch import CorruptTransition
from placet.actors.store.sql import Connection


class Place(msgspec.Struct, frozen=True):
    """One event's place.

    Attributes:
        conn: inside the write transaction.
        stream: a session id, or the server's stream.
        seq: the event's number in its stream.
        position: its number in the whole log.
        at: Unix seconds.
        epoch: of the process that recorded it.
        key_life_s: how long after its end an admission answers its key.
    """

    conn: Connection
    stream: str
    seq: int
    position: int
    at: float
    epoch: int
    key_life_s: float

    def change(self, sql: str, *values: object) -> None:
        """Run a statement that must change exactly one row.

        Raises:
            CorruptTransition: it changed none, so the event does not fit the state.
        """
        self.conn.execute(sql, values)
        if self.conn.changes() != 1:
            raise CorruptTransition(f"Event {self.seq} of {self.stream!r} does not fit what is stored.")
