"""Serve an application on sockets that are already open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config, Sockets
from hypercorn.trio.run import worker_serve

from placet.http.server.harden import install

if TYPE_CHECKING:
    from collections.abc import Sequence
    from socket import socket

    from hypercorn.typing import ASGIFramework


async def serve(
    app: ASGIFramework,
    sockets: Sequence[socket],
    config: Config,
    *,
    shutdown: trio.Event,
    task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `app`, hardened, until `shutdown` is set.

    Then the listeners and the idle connections close at once; open requests have `config.graceful_timeout`
    seconds and are cancelled after it. Always a checkpoint. When cancelled, everything is cancelled at once;
    either way the sockets are closed at the end.

    Args:
        app: an ASGI application.
        sockets: listening sockets, from `open_sockets`. They belong to the server from here on.
        config: from `make_config`.
        shutdown: set it to stop.
        task_status: told the addresses, such as `http://127.0.0.1:8642`, once the application has started.

    Raises:
        ExceptionGroup: the application refused to start; it holds hypercorn's `LifespanFailureError`.
    """
    install()
    worker = partial(
        worker_serve,
        ASGIWrapper(app),
        config,
        sockets=Sockets(secure_sockets=[], insecure_sockets=list(sockets), quic_sockets=[]),
        shutdown_trigger=shutdown.wait,
    )
    async with trio.open_nursery() as nursery:
        task_status.started(await nursery.start(worker))
