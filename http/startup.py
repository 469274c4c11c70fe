"""What the server says when it starts: to programs one line on standard output, to people how to go on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from placet.http.api_key import KEY_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from socket import socket

    from placet.http.config import Config
    from placet.http.house import House


def announce(config: Config, house: House, sockets: Sequence[socket]) -> None:
    """Say that the server can answer, where, and how to send the first request."""
    address = base_url(sockets[0])
    print(_for_people(config, house, address), file=sys.stderr, flush=True)
    print(f"placet: listening on {address}", flush=True)


def base_url(sock: socket) -> str:
    """The URL of a listening socket."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _for_people(config: Config, house: House, address: str) -> str:
    key_file = config.data_dir / KEY_FILE
    lines = [
        f"placet: data directory   {config.data_dir}",
        f"placet: workspace        {config.workspace}",
        f"placet: agent            {config.agent}",
        f"placet: API key          {_key(config, house, key_file)}",
        f"placet: console          {address}/",
    ]
    if house.recovered:
        lines.append(f"placet: taken up again   {house.recovered} sessions of an earlier process")
    lines += _unknown(house)
    authorization = "" if config.no_auth else f' -H "Authorization: Bearer {_key_in_shell(config, key_file)}"'
    body = (
        '{"model": "placet", "stream": true, "messages": [{"role": "user", "content": "$ rm -f hello.txt"}]}'
    )
    lines += [
        "placet: a first request, which will ask you before it does anything:",
        f"  curl -N {address}/v1/chat/completions{authorization} -d '{body}'",
        "placet: without an Idempotency-Key every retry is new work; a client that does not stream must send one, or wait",
        "placet: as long as a person may take to answer.",
    ]
    return "\n".join(lines)


def _unknown(house: House) -> list[str]:
    """The runs that wait for somebody to settle them, and how that is done."""
    lines = [
        f"placet: outcome unknown  {run.run_id} in session {run.admission.session_id}"
        for run in house.unknown.items
    ]
    if house.unknown.has_more:
        lines.append("placet: outcome unknown  more: placet runs list --status unknown")
    if lines:
        lines.append("placet: look at what such a run had done, then: placet runs resolve-unknown RUN_ID")
    return lines


def _key(config: Config, house: House, key_file: Path) -> str:
    if config.no_auth:
        return "none: everybody on this machine may do everything (--no-auth)"
    if config.api_key is not None:
        return "from the settings"
    if house.key_is_new:
        return f"{key_file.read_text().strip()}  (new; kept in {key_file})"
    return f"in {key_file}"


def _key_in_shell(config: Config, key_file: Path) -> str:
    return "$PLACET_API_KEY" if config.api_key is not None else f"$(cat {key_file})"
