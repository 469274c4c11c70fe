"""Sockets are ours alone, on one port, with every option that the rest relies on."""

from __future__ import annotations

import socket
import sys
from contextlib import ExitStack

import pytest

from placet.actors.protocol.errors import StartRefused
from placet.http.server import ConnectionLimits, make_config, open_sockets


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "", "::"])
def test_port_0_is_one_free_port_for_every_address(host: str) -> None:
    with ExitStack() as opened:
        sockets = [opened.enter_context(sock) for sock in open_sockets(host, 0)]
        ports = {sock.getsockname()[1] for sock in sockets}
        assert len(ports) == 1
        assert ports != {0}
        with socket.create_connection(("127.0.0.1", ports.pop()), timeout=2):
            pass
        assert len(sockets) == (2 if host in {"", "::"} and _has_ipv6() else len(sockets)) > 0


def test_what_accepted_sockets_inherit() -> None:
    [listening] = open_sockets("127.0.0.1", 0)
    with listening, socket.create_connection(listening.getsockname(), timeout=2):
        listening.settimeout(2)
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            if sys.platform == "linux":
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30


def test_a_taken_port_is_refused_with_advice() -> None:
    [first] = open_sockets("127.0.0.1", 0)
    with (
        first,
        pytest.raises(StartRefused, match=r"another program uses that port\. Stop it, or choose another"),
    ):
        open_sockets("127.0.0.1", first.getsockname()[1])


def test_a_port_comes_back_as_soon_as_it_is_closed() -> None:
    [first] = open_sockets("127.0.0.1", 0)
    port = first.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port), timeout=2):
        first.accept()[0].close()  # leaves the server's end in TIME_WAIT
        first.close()
    [second] = open_sockets("127.0.0.1", port)
    second.close()


def test_an_address_of_another_machine_is_refused_with_advice() -> None:
    with pytest.raises(StartRefused, match=r"no such address\. Use 127\.0\.0\.1"):
        open_sockets("192.0.2.1", 0)


def test_an_unknown_host_is_refused_with_advice() -> None:
    with pytest.raises(StartRefused, match="no such host"):
        open_sockets("no-such-host.invalid", 0)


def test_the_configuration_leaves_no_trace_of_hypercorns_defaults() -> None:
    limits = ConnectionLimits(head_s=3)
    config = make_config(graceful_timeout_s=1, keep_alive_s=2, limits=limits)
    assert config.limits is limits
    assert (config.graceful_timeout, config.keep_alive_timeout) == (1, 2)
    assert config.keep_alive_max_requests >= 1_000_000
    assert config.h11_max_incomplete_size == 64 * 1024
    assert config.response_headers("h11")[0][0] == b"date"
    assert len(config.response_headers("h11")) == 1
    assert config.log.access_logger is None
    assert config.log.error_logger is not None
    assert config.log.error_logger.handlers == []
