"""How far along the log each reader outside has been told, so that it is told the rest after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.actors.store.sql import Connection


def take(conn: Connection, names: tuple[str, ...]) -> dict[str, int]:
    """The places of exactly these readers. A new one begins at the end of the log.

    Others are forgotten: one that comes back much later must not be told all that it missed.
    """
    known: dict[str, int] = dict(conn.execute("SELECT name, position FROM watermarks").fetchall())
    head: int = conn.execute("SELECT max(position) FROM events").get or 0
    for name in known.keys() - set(names):
        conn.execute("DELETE FROM watermarks WHERE name = ?", (name,))
    places = {name: known.get(name, head) for name in names}
    for name in places.keys() - known.keys():
        keep(conn, name, head)
    return places


def keep(conn: Connection, name: str, position: int) -> None:
    """A reader needs nothing up to and with this position any more."""
    conn.execute("INSERT OR REPLACE INTO watermarks VALUES (?, ?)", (name, position))
