"""How long a connection may take over each thing. Every number is a promise to the other connections."""

from __future__ import annotations

from dataclasses import dataclass
from time import time

from hypercorn.config import Config


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """The time-outs of one connection that hypercorn has no setting for.

    Args:
        head_s: seconds from the first byte of a request head to its end. 30: a head is one packet; a phone on a
            bad link needs a few retransmissions, never half a minute.
        body_idle_s: seconds between two pieces of a request body. 30: an upload may be slow, but not silent.
        send_s: seconds for the peer to take 64 KiB of an answer. 10: below 6.5 kB/s a stream is of no use to
            anyone, and its client can resume it.
        drain_send_s: what is left of `send_s` once the server is shutting down. 1: the grace belongs to the
            clients that read.
        linger_s: seconds to close in, and to go on reading from a peer that was answered before it had sent its
            whole request. 2: closing at once would make the kernel discard the answer (413, 401) on its way.
        goodbye_s: seconds for an application to take the news that its client has left, and then to end. 5: it only has to
            read a queue; one that does not is cancelled.
        probe_s: seconds between two looks at a peer that has shut its sending side and waits for its answer.
            1: such clients are rare, and the look is one system call.
    """

    head_s: float = 30.0
    body_idle_s: float = 30.0
    send_s: float = 10.0
    drain_send_s: float = 1.0
    linger_s: float = 2.0
    goodbye_s: float = 5.0
    probe_s: float = 1.0


class ServerConfig(Config):
    """A hypercorn configuration that also carries the limits of `Connection`."""

    limits: ConnectionLimits = ConnectionLimits()
    _dated = (0, "")
    _headers: tuple[tuple[bytes, bytes], ...] = ()

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        """What hypercorn adds to every response. The date among it is written once a second, not once a response.

        Args:
            protocol: as hypercorn names it.
        """
        dated = (int(time()), protocol)
        if dated != self._dated:
            self._dated, self._headers = dated, tuple(super().response_headers(protocol))
        return list(self._headers)


def limits_of(config: Config) -> ConnectionLimits:
    """The limits in `config`, or the defaults if it is a plain hypercorn configuration."""
    return config.limits if isinstance(config, ServerConfig) else ConnectionLimits()
