"""Which server to ask, and with which key."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from placet.actors.protocol.errors import InvalidInput
from placet.http.api_key import KEY_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_URL: Final = "http://127.0.0.1:8642"
"""Where `placet serve` listens if nothing is said."""

URL_VARIABLE: Final = "PLACET_URL"
KEY_VARIABLE: Final = "PLACET_API_KEY"


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Where a server of this user keeps its data: `PLACET_DATA_DIR`, else `$XDG_DATA_HOME/placet`, else under the home."""
    if given := environ.get("PLACET_DATA_DIR"):
        return Path(given).expanduser()
    base = Path(environ.get("XDG_DATA_HOME", ""))
    home = Path(environ.get("HOME") or Path.home())
    return (base if base.is_absolute() else home / ".local" / "share") / "placet"


class Target(msgspec.Struct, frozen=True):
    """A server and what it is asked with.

    Attributes:
        url: without a slash at its end.
        key: `None` asks without one.
    """

    url: str
    key: str | None

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, as far as its address says."""
        return _is_loopback(urlsplit(self.url).hostname or "")

    def __repr__(self) -> str:
        """Without the key, so that no traceback shows it."""
        return f"Target({self.url!r})"


def find_target(
    *, url: str | None, key: str | None, key_file: Path | None, data_dir: Path, environ: Mapping[str, str]
) -> Target:
    """The server and the key to use: what was given, else the environment's, else those of a server on this machine.

    The key of the data directory is offered to a server on this machine only, so that a wrong address does not get it.

    Args:
        url: the server's address, if it was given.
        key: the key itself, if it was given.
        key_file: a file that holds only the key, if it was given.
        data_dir: where a local server keeps its key.
        environ: the environment, for `PLACET_URL` and `PLACET_API_KEY`.

    Raises:
        InvalidInput: the address is none, or `key_file` cannot be read.
    """
    address = _checked(url or environ.get(URL_VARIABLE) or DEFAULT_URL)
    given = key or (None if key_file is None else _read(key_file)) or environ.get(KEY_VARIABLE) or None
    local = Target(address, None).is_local
    return Target(address, given or (_local_key(data_dir) if local else None))


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise InvalidInput(f"{url!r} is no address of a server. It looks like {DEFAULT_URL}.")
    return url.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InvalidInput(f"The key file {path} cannot be read: {why}.") from None


def _local_key(data_dir: Path) -> str | None:
    """The key that a server keeps there; `None` if there is none, or it is not for us."""
    try:
        return (data_dir / KEY_FILE).read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
