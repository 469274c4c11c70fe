"""Hypercorn on trio, made safe to put before strangers.

Everything here works around faults of the plain stack. Each has a test in `tests/system/plain` that shows both the
fault and the repair, so that a new upstream version tells at once what may be taken out again.
"""

from placet.http.server.connection import Connection
from placet.http.server.harden import install
from placet.http.server.limits import ConnectionLimits, ServerConfig
from placet.http.server.listen import make_config, open_sockets
from placet.http.server.serve import serve
from placet.http.server.stopping import wait_until_stopping

__all__ = [
    "Connection",
    "ConnectionLimits",
    "ServerConfig",
    "install",
    "make_config",
    "open_sockets",
    "serve",
    "wait_until_stopping",
]
