"""Keys: the file, the ring, the header."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from placet.actors.protocol.errors import NotAuthenticated, StartRefused
from placet.http.api_key import key_weakness
from placet.http.auth import Keyring, Principal, authorization_of, ensure_api_key
from placet.http.config import Config, PrincipalConfig, Role
from placet.http.dialect import Dialect

if TYPE_CHECKING:
    from pathlib import Path

UNHURRIED = settings(deadline=None)  # other work on the machine must not fail a test

KEY = "a-key-of-some-length-0123"
WEB_KEY = "another-key-of-some-length"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


WEB = PrincipalConfig("web", sha256(WEB_KEY).upper(), Role.CLIENT, Dialect.CHUNK)


@pytest.fixture
def keyring() -> Keyring:
    return Keyring(Config(principal=(WEB,)), KEY)


@pytest.mark.parametrize(
    "header", [f"Bearer {KEY}", f"bearer {KEY}", f"BEARER  {KEY}", f" Bearer {KEY} ", f"Bearer \t{KEY}"]
)
def test_the_right_key_in_any_spelling_of_the_scheme(keyring: Keyring, header: str) -> None:
    assert keyring.authenticate(header.encode()) == Principal("api", Role.OPERATOR)


def test_a_configured_principal(keyring: Keyring) -> None:
    assert keyring.authenticate(f"Bearer {WEB_KEY}".encode()) == Principal("web", Role.CLIENT, Dialect.CHUNK)


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer caf\xe9",
        "Bearer “K”".encode(),
        b"Bearer \xff\xfe\x00",
        f"Basic {KEY}".encode(),
        KEY.encode(),
        f"Bearer {KEY} x".encode(),
        f"Bearer {KEY[:-1]}".encode(),
        f"Bearer{KEY}".encode(),
        f"Bearer {sha256(KEY)}".encode(),
    ],
)
def test_anything_else_is_401(keyring: Keyring, header: bytes | None) -> None:
    with pytest.raises(NotAuthenticated) as caught:
        keyring.authenticate(header)
    assert caught.value.code == "gateway_auth_failed"


@UNHURRIED
@given(st.binary(max_size=100) | st.binary(max_size=60).map(lambda key: b"Bearer " + key))
def test_no_bytes_raise_anything_else(header: bytes) -> None:
    with pytest.raises(NotAuthenticated):
        Keyring(Config(), KEY).authenticate(header)


def test_an_empty_key_never_matches_even_if_its_hash_is_configured() -> None:
    empty = PrincipalConfig("empty", sha256(""))
    with pytest.raises(NotAuthenticated):
        Keyring(Config(principal=(empty,)), KEY).authenticate(b"Bearer ")


def test_every_known_key_is_compared_in_constant_time(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[int, int]] = []

    def watched(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return hmac.compare_digest(one, other)

    monkeypatch.setattr("placet.http.auth.hmac", type("hmac", (), {"compare_digest": staticmethod(watched)}))
    for key in (KEY, WEB_KEY):
        compared.clear()
        keyring.authenticate(f"Bearer {key}".encode())
        assert compared == [(32, 32)] * 2


def test_without_keys_everyone_is_the_operator() -> None:
    keyring = Keyring(Config(no_auth=True), None)
    for header in (None, b"Bearer wrong", b"\xff"):
        assert keyring.authenticate(header) == Principal("api", Role.OPERATOR)


def test_a_ring_that_could_not_tell_principals_apart_is_refused() -> None:
    same = PrincipalConfig("web", sha256(KEY))
    with pytest.raises(StartRefused, match="own key"):
        Keyring(Config(principal=(same,)), KEY)
    with pytest.raises(StartRefused, match="no key"):
        Keyring(Config(), None)


@pytest.mark.parametrize(
    ("role", "decides", "operates"),
    [(Role.CLIENT, False, False), (Role.APPROVER, True, False), (Role.OPERATOR, True, True)],
)
def test_roles(role: Role, decides: bool, operates: bool) -> None:
    principal = Principal("me", role)
    assert (principal.may_decide, principal.may_see_all, principal.is_operator) == (
        decides,
        decides,
        operates,
    )
    assert principal.may_see("me")
    assert principal.may_see("you") is decides


def test_the_header_as_bytes() -> None:
    assert authorization_of(Headers()) is None
    assert authorization_of(Headers({"Authorization": "Bearer caf\xe9"})) == b"Bearer caf\xe9"
    assert authorization_of(Headers([("Authorization", "a"), ("Authorization", "b")])) is None


@pytest.mark.parametrize(
    "key",
    [
        "",
        "x" * 15,
        "*" * 20,
        "x" * 20,
        "changeme-changeme",
        "your_api_key_here",
        "your-api-key-goes-here",
        "placeholder-placeholder",
        "example-key-example",
        "sk-xxxxxxxxxxxxxxxx",
        "ghp_XXXXXXXXXXXXXXXX",
        "hf_xxxxxxxxxxxxxxxx",
        "has a space in its middle",
        "schlüssel-schlüssel",
        "with-newline-at-end\n",
    ],
)
def test_weak_keys(key: str) -> None:
    assert key_weakness(key)


@pytest.mark.parametrize("key", [KEY, "sk-xxxxabcdxxxxxxxx", "0123456789abcdef"])
def test_strong_keys(key: str) -> None:
    assert key_weakness(key) is None


def test_the_key_is_made_once(tmp_path: Path) -> None:
    data_dir = tmp_path / "new" / "data"
    key, created = ensure_api_key(data_dir)
    assert created
    assert key_weakness(key) is None
    assert stat.S_IMODE((data_dir / "api_key").stat().st_mode) == 0o600
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert ensure_api_key(data_dir) == (key, False)
    assert os.listdir(data_dir) == ["api_key"]


def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ensure_api_key(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "api_key").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    key, _ = ensure_api_key(tmp_path)
    (tmp_path / "api_key").chmod(mode)
    with pytest.raises(StartRefused, match="chmod 600") as caught:
        ensure_api_key(tmp_path)
    assert caught.value.code == "insecure_api_key"
    assert key not in caught.value.message


@pytest.mark.parametrize(
    "content", [b"", b"short\n", b"changeme-changeme", b"\xff" * 20, b"two\nlines-of-sixteen\n"]
)
def test_a_file_that_holds_no_key_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "api_key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StartRefused, match="Delete it") as caught:
        ensure_api_key(tmp_path)
    assert caught.value.code == "invalid_api_key"
    assert path.read_bytes() == content


def test_a_key_file_of_ones_own_may_end_in_any_newline(tmp_path: Path) -> None:
    path = tmp_path / "api_key"
    path.write_bytes(KEY.encode() + b"\r\n")
    path.chmod(0o600)
    assert ensure_api_key(tmp_path) == (KEY, False)


def test_a_directory_or_pipe_is_no_key(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "api_key", 0o600)
    with pytest.raises(StartRefused, match="plain file"):
        ensure_api_key(tmp_path)
    (tmp_path / "api_key").unlink()
    (tmp_path / "api_key").mkdir(0o700)
    with pytest.raises(StartRefused, match="plain file"):
        ensure_api_key(tmp_path)


def test_a_data_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartRefused) as caught:
        ensure_api_key(tmp_path / "file" / "data")
    assert caught.value.code == "data_dir_unavailable"


@pytest.mark.thread
def test_servers_that_start_at_once_get_one_key(tmp_path: Path) -> None:
    got: list[tuple[str, bool]] = []
    barrier = threading.Barrier(8)

    def start() -> None:
        barrier.wait()
        got.append(ensure_api_key(tmp_path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({key for key, _ in got}) == 1
    assert [created for _, created in got].count(True) == 1
    assert os.listdir(tmp_path) == ["api_key"]
