"""HTTP to a model's server: a POST whose answer is read while it comes, over connections that are kept.

One concern a file: `address` is where, `proxies` by which way, `dialing` how a stream to there is made, `connection` one HTTP/1.1
connection, `body` where a body ends, `pool` the connections that are kept.

Why not a library: of a turn with a quick model half the time was the HTTP client's, in layers that a streaming POST has no use for
(redirects, cookies, authentication, encodings, a generator a layer). h11 does the protocol here, too.
"""

from placet.actors.agents.model.transport.address import Target, UnsupportedAddress
from placet.actors.agents.model.transport.connection import Lost, Response, Silent
from placet.actors.agents.model.transport.dialing import Unreachable
from placet.actors.agents.model.transport.pool import Pool

__all__ = ["Lost", "Pool", "Response", "Silent", "Target", "Unreachable", "UnsupportedAddress"]
