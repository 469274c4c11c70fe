"""The one key that every server has: when it is good enough, and the file that it lies in."""

from __future__ import annotations

import os
import re
import secrets
import stat
from typing import TYPE_CHECKING, Final

from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from pathlib import Path

KEY_CHARACTERS_MIN: Final = 16
"""96 bits if they are random; what is shorter was typed by hand or can be guessed."""

KEY_FILE: Final = "api_key"

_FILE_BYTES_MAX = 4096
"""Far above any key; what is larger is some other file."""

_PLACEHOLDER = re.compile(
    r"change[-_]?me.*|your[-_].*|placeholder.*|example.*|dummy.*|(?:sk-|ghp_|hf_)x*|(.)\1*", re.IGNORECASE
)


def key_weakness(key: str) -> str | None:
    """Why a key must not be used, or `None` if it may: it needs 16 visible ASCII characters and must be no placeholder."""
    if not re.fullmatch("[!-~]*", key):
        return "it holds a space or another character that is not visible ASCII"
    if len(key) < KEY_CHARACTERS_MIN:
        return f"it has fewer than {KEY_CHARACTERS_MIN} characters"
    if _PLACEHOLDER.fullmatch(key):
        return "it is a placeholder"
    return None


def ensure_api_key(data_dir: Path) -> tuple[str, bool]:
    """The key of a data directory, made at the first start.

    The file appears whole or not at all, readable by its owner alone. If two servers start at once, both get the same key.

    Args:
        data_dir: the directory; it is made (mode 0700) if it is missing.

    Returns:
        The key, and whether it was made just now.

    Raises:
        StartRefused: `insecure_api_key` if others may read the file; `invalid_api_key` if it is no plain file or holds no
            strong key; `data_dir_unavailable` if the system refuses. The message says what to do.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = data_dir / KEY_FILE
        created = not os.path.lexists(path) and _create(path)
        return _read(path), created
    except OSError as error:
        raise StartRefused(
            f"The key in {data_dir} cannot be read or made: {error.strerror}.", code="data_dir_unavailable"
        ) from None


def _create(path: Path) -> bool:
    """Write a new key under another name, then link it into place, which fails if someone was faster."""
    draft = path.with_name(f".{KEY_FILE}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    _sync_directory(path.parent)
    return True


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> str:
    # NONBLOCK: were it a named pipe, opening it would wait for a writer
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _check_mode(path, os.fstat(descriptor).st_mode)
        content = os.read(descriptor, _FILE_BYTES_MAX)
    finally:
        os.close(descriptor)
    try:
        key = content.decode("ascii").strip("\r\n")
    except UnicodeDecodeError:
        raise _invalid(path, "it is not ASCII") from None
    if weakness := key_weakness(key):
        raise _invalid(path, weakness)
    return key


def _check_mode(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise _invalid(path, "it is no plain file")
    if mode & 0o077:
        raise StartRefused(
            f"Others may read {path}. Take its key for known: delete the file for a new one, or `chmod 600` it.",
            code="insecure_api_key",
        )


def _invalid(path: Path, why: str) -> StartRefused:
    return StartRefused(
        f"{path} is no key: {why}. Delete it and start again for a new one.", code="invalid_api_key"
    )
