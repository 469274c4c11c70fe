"""Put our connection class, and our context, in the place of hypercorn's."""

from __future__ import annotations

from hypercorn.trio import run

from placet.http.server.connection import Connection
from placet.http.server.stopping import AnnouncingContext


def install() -> None:
    """From now on every hypercorn server on trio in this process serves with `Connection`.

    Also for `hypercorn -k trio`, as long as it is called before the first connection, for example when the
    application is imported. Calling it again changes nothing.
    """
    run.TCPServer = Connection  # type: ignore[attr-defined, assignment]
    run.WorkerContext = AnnouncingContext  # type: ignore[attr-defined]
