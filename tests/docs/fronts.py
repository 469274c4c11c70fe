"""The proxies of `deploy/`, started with their documented files; only addresses and certificates are the test's own."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.helpers import PATIENCE_S, Api
from tests.system.server import KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

DEPLOY = Path(__file__).parents[2] / "deploy"

NGINX_AROUND = """
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
"""What a distribution's own nginx.conf is to the documented file."""

CADDY_AROUND = "{{\n\tadmin off\n}}\n"


class TlsApi(Api):
    """Requests by TLS, to whatever certificate."""

    async def connect(self, sent: bytes = b"", *, receive_buffer: int | None = None) -> Any:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        stream = trio.SSLStream(await super().connect(receive_buffer=receive_buffer), context)
        await stream.send_all(sent)
        return stream


@asynccontextmanager
async def nginx(folder: Path, upstream: int) -> AsyncIterator[Api]:
    """nginx in front of a server. It goes to the background itself once it listens."""
    need("nginx", "nginx-light"), need("openssl", "openssl")
    port = free_port()
    certificate(folder)
    own = {
        "127.0.0.1:8642": f"127.0.0.1:{upstream}",
        "listen 443 ssl http2": f"listen 127.0.0.1:{port} ssl http2",
        "/etc/ssl/placet": str(folder),
    }
    (folder / "site.conf").write_text(documented("nginx.conf", own))
    (folder / "nginx.conf").write_text(NGINX_AROUND.format(folder=folder))
    command = ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "nginx.log")]
    await trio.run_process(command)
    try:
        yield TlsApi(port, KEY)
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE_S):
            await trio.run_process([*command, "-s", "stop"])


@asynccontextmanager
async def caddy(folder: Path, upstream: int) -> AsyncIterator[Api]:
    """Caddy in front of a server, without the certificate that it would fetch for a real name."""
    need("caddy", "caddy")
    port = free_port()
    own = {"127.0.0.1:8642": f"127.0.0.1:{upstream}", "placet.example.org": f"http://127.0.0.1:{port}"}
    (folder / "Caddyfile").write_text(CADDY_AROUND.format() + documented("Caddyfile", own))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    homes = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    process = await trio.lowlevel.open_process(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={"PATH": "/usr/bin:/bin", **homes}
    )
    assert process.stderr is not None
    try:
        with trio.fail_after(PATIENCE_S):
            log = b""
            while b"serving initial configuration" not in log:
                received = await process.stderr.receive_some()
                assert received, log.decode()
                log += received
        yield Api(port, KEY)
    finally:
        process.terminate()
        with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE_S):
            await process.wait()
        await trio.aclose_forcefully(process.stderr)


FRONTS = {"nginx": nginx, "caddy": caddy}


def need(program: str, package: str) -> None:
    """Skip where a program is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program}: apt-get install {package}")


def documented(name: str, own: Mapping[str, str]) -> str:
    """A file of `deploy/` with the test's own words in the place of some, each of which must be there."""
    text = (DEPLOY / name).read_text()
    for word, ours in own.items():
        assert word in text, f"deploy/{name} has no {word!r} any more"
        text = text.replace(word, ours)
    return text


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def certificate(folder: Path) -> None:
    """A certificate of our own."""
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    names = ["-keyout", str(key), "-out", str(chain), "-days", "1", "-subj", "/CN=placet.example.org"]
    subprocess.run([*command, *names], check=True, capture_output=True)
