"""Open the listening sockets and configure hypercorn, each knob on purpose."""

from __future__ import annotations

import errno
import logging
import socket
import sys
from contextlib import ExitStack
from typing import Final, NamedTuple

from placet.actors.protocol.errors import StartRefused
from placet.http.server.limits import ConnectionLimits, ServerConfig

# What a peer has not acknowledged within this time was sent to nobody.
USER_TIMEOUT_S: Final = 30

# A peer that vanished without a word is noticed after about a minute of silence.
KEEPALIVE_IDLE_S: Final = 30
KEEPALIVE_INTERVAL_S: Final = 10

# Clients that arrive in a burst, or while the server recovers, wait here.
BACKLOG: Final = 1024

# A free port picked for the first address may be taken on the second one; eight in a row are not.
_PORT_TRIES: Final = 8

_EVERY_ADDRESS: Final = ("", "::")

_REASONS: Final = {
    errno.EADDRINUSE: "another program uses that port. Stop it, or choose another port (0 picks a free one)",
    errno.EACCES: "that port needs privileges. Choose one above 1023",
    errno.EADDRNOTAVAIL: "this machine has no such address. Use 127.0.0.1, or 0.0.0.0 for all of its addresses",
}


class _Address(NamedTuple):
    family: socket.AddressFamily
    host: str


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Listen on every address that `host` stands for, all on one port.

    Does not wait, except for the resolver if `host` is a name that this machine has to ask others about.

    Args:
        host: an address or a name; the empty string or `::` means every address, IPv4 and IPv6.
        port: 0 picks a free port, the same for all addresses.

    Returns:
        Listening sockets, non-blocking. Clients queue on them from now on. The caller closes them.

    Raises:
        StartRefused: the host is unknown or the port cannot be had; the message says what to do.
    """
    try:
        addresses = _resolve(host)
        return _open_all(addresses, port) if port else _open_on_free_port(addresses)
    except socket.gaierror as error:
        raise StartRefused(
            f"cannot listen on {host}: no such host. Use an address such as 127.0.0.1."
        ) from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror)
        raise StartRefused(f"cannot listen on {host or '*'} port {port}: {reason}.") from error


def _resolve(host: str) -> list[_Address]:
    name = None if host in _EVERY_ADDRESS else host
    found = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # A dictionary, because some hosts files name one address twice.
    return list(dict.fromkeys(_Address(family, str(address[0])) for family, _, _, _, address in found))


def _open_on_free_port(addresses: list[_Address]) -> list[socket.socket]:
    for _ in range(_PORT_TRIES - 1):
        try:
            return _open_all(addresses, 0)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    return _open_all(addresses, 0)


def _open_all(addresses: list[_Address], port: int) -> list[socket.socket]:
    with ExitStack() as opened:
        sockets: list[socket.socket] = []
        for family, host in addresses:
            try:
                sock = opened.enter_context(_open(family, host, port))
            except OSError as error:
                # A name may stand for an IPv6 address on a machine without IPv6.
                if len(addresses) > 1 and error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
                    continue
                raise
            port = sock.getsockname()[1]
            sockets.append(sock)
        if not sockets:
            raise OSError(errno.EADDRNOTAVAIL, "no address to listen on")
        opened.pop_all()
        return sockets


def _open(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(0)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if family == socket.AF_INET6:
            # Otherwise the IPv6 socket would also take the port of the IPv4 one.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if sys.platform == "linux":  # accepted sockets inherit all of these there
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_S * 1000)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S)
        sock.bind((host, port))
        # Two programs may bind one port as long as neither listens: only now it is ours.
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    return sock


def make_config(
    *,
    graceful_timeout_s: float = 3.0,
    keep_alive_s: float = 75.0,
    limits: ConnectionLimits | None = None,
) -> ServerConfig:
    """Hypercorn's configuration with nothing left to its defaults that a client can feel.

    The sockets are no part of it: `serve` is given them, so that no descriptor has two owners.

    Args:
        graceful_timeout_s: seconds that open requests have after the stop; the drain before it has ended most.
        keep_alive_s: seconds that a connection may stay open between requests. 75: longer than the minute that
            common proxies and clients keep a connection, so that it is they who close it and no request is lost.
        limits: the other time-outs of a connection.

    Returns:
        A new configuration, to be changed no more.
    """
    config = ServerConfig()
    config.limits = limits or ConnectionLimits()
    config.bind = []
    config.worker_class = "trio"
    config.backlog = BACKLOG
    config.graceful_timeout = graceful_timeout_s
    config.keep_alive_timeout = keep_alive_s
    config.keep_alive_max_requests = (
        1_000_000  # a close after 1 000 surprises pools; there is nothing to recycle
    )
    config.max_app_queue_size = 10  # pieces of a body (64 KiB each) that wait for the application
    config.read_timeout = None  # it does not know a slow sender from a patient one; `ConnectionLimits` does
    config.h11_max_incomplete_size = 64 * 1024  # one request head: room for large cookies and tokens
    config.include_server_header = False  # a stranger need not know what to attack
    config.alpn_protocols = ["http/1.1"]
    config.websocket_ping_interval = 20.0  # proxies cut what is silent for a minute
    config.websocket_max_message_size = 1024 * 1024  # an instruction, not an upload
    config.accesslog = None  # the application logs its requests itself
    config.errorlog = logging.getLogger("placet.http.server")
    config.loglevel = "WARNING"
    return config
