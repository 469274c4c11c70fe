"""Making a stream to an address: TCP, a tunnel through a proxy where one is named, TLS."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import h11
import httpx2
import trio

if TYPE_CHECKING:
    import ssl

    from placet.actors.agents.model.transport.address import Address, Target

CONNECT_S: Final = 10.0
"""For all of it together: a server that takes longer is down or far away, and is asked again."""

_ANSWER_BYTES: Final = 16 * 1024


class Unreachable(Exception):
    """There is no way to the server now."""


async def dial(address: Address, proxy: Target | None) -> trio.abc.Stream:
    """A stream to an address. Always a checkpoint; cancelled, nothing stays open.

    Args:
        address: where to. With TLS, its certificate is checked against the host.
        proxy: through which; plain requests are then for the proxy itself, all others go through a tunnel.

    Raises:
        Unreachable: by name, by TCP, by TLS, or the proxy refuses; or it takes more than `CONNECT_S`.
    """
    try:
        with trio.fail_after(CONNECT_S):
            if proxy is None:
                return await _connect(address)
            stream = await _connect(proxy.address)
            return await _through(stream, address, proxy) if address.secure else stream
    except (OSError, trio.BrokenResourceError, trio.TooSlowError, h11.RemoteProtocolError) as error:
        said = error.__cause__ or error  # what is wrong with TLS is behind what trio says
        raise Unreachable(f"{type(said).__name__}: {said}") from error


async def _connect(address: Address) -> trio.abc.Stream:
    stream = await trio.open_tcp_stream(address.host, address.port)
    return await _secured(stream, address) if address.secure else stream


async def _secured(stream: trio.abc.Stream, address: Address) -> trio.abc.Stream:
    # `https_compatible`: servers close without a closing handshake; HTTP itself says where a body ends.
    tls = trio.SSLStream(stream, _trust(), server_hostname=address.host, https_compatible=True)
    try:
        await tls.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return tls


async def _through(stream: trio.abc.Stream, address: Address, proxy: Target) -> trio.abc.Stream:
    try:
        await _tunnel(stream, address, proxy)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return await _secured(stream, address)


async def _tunnel(stream: trio.abc.Stream, address: Address, proxy: Target) -> None:
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_ANSWER_BYTES)
    headers = [("Host", address.authority)]
    if proxy.basic is not None:
        headers.append(("Proxy-Authorization", proxy.basic))
    request = h11.Request(method="CONNECT", target=address.authority, headers=headers)
    await stream.send_all(connection.send(request) or b"")
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(bytes(await stream.receive_some()))
    if not isinstance(event, h11.Response) or not 200 <= event.status_code < 300:
        said = event.status_code if isinstance(event, h11.Response) else "nothing"
        raise Unreachable(f"the proxy does not lead to {address.authority}: it answered {said}")


@cache
def _trust() -> ssl.SSLContext:
    """The authorities that this machine trusts, read once: it takes tens of milliseconds."""
    context = httpx2.create_ssl_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
