"""Keys of requests that admit nothing: recorded by the very event that did what was asked, so that it is never done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.actors.protocol.keys import KeyUse

if TYPE_CHECKING:
    from placet.actors.store.place import Place
    from placet.actors.store.sql import Connection


def record(place: Place, use: KeyUse | None) -> None:
    """Keep a key for as long as an exact retry is answered; one whose time is over gives way."""
    if use is None:
        return
    place.change(
        "INSERT INTO key_uses VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint,"
        " subject = excluded.subject, expires_at = excluded.expires_at WHERE expires_at <= ?",
        use.principal,
        use.family,
        use.key,
        use.fingerprint,
        use.subject,
        place.at + place.key_life_s,
        place.at,
    )


def find(conn: Connection, principal: str, family: str, key: str, now: float) -> KeyUse | None:
    """What a live key was used for."""
    found = conn.execute(
        "SELECT fingerprint, subject FROM key_uses WHERE principal = ? AND family = ? AND key = ? AND expires_at > ?",
        (principal, family, key, now),
    ).fetchone()
    if found is None:
        return None
    return KeyUse(principal=principal, family=family, key=key, fingerprint=found[0], subject=found[1])


def drop(conn: Connection, now: float, limit: int) -> int:
    """Delete keys whose time is over, at most so many. Returns how many it were."""
    conn.execute(
        "DELETE FROM key_uses WHERE (principal, family, key) IN (SELECT principal, family, key FROM key_uses"
        " WHERE expires_at <= ? LIMIT ?)",
        (now, limit),
    )
    return conn.changes()
