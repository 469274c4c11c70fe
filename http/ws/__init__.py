"""Viewers by WebSocket: JSON-RPC 2.0 on one socket, with the events of each session that the viewer has resumed.

`rpc.py` is the envelope and `methods.py` the table of what may be called; both know nothing of sockets. `cut.py` takes the
snapshot of a session, `frames.py` says how its events look, `membership.py` carries them to one viewer, and `peer.py` is one
connection with its tasks. `tickets.py` lets pages connect.
"""

from placet.http.ws.peer import Peer
from placet.http.ws.rpc import PROTOCOL
from placet.http.ws.tickets import TICKET_PREFIX, Tickets, ticket_in
from placet.http.ws.viewer import Viewer

__all__ = ["PROTOCOL", "TICKET_PREFIX", "Peer", "Tickets", "Viewer", "ticket_in"]
