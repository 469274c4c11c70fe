"""Which server is asked, and who gets the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.actors.protocol.errors import InvalidInput
from placet.http.client import Target, default_data_dir, find_target

LOCAL = "the-key-of-this-machine"


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    (tmp_path / "api_key").write_text(f"{LOCAL}\n")
    return tmp_path


def find(data_dir: Path, environ: dict[str, str] | None = None, **given: object) -> Target:
    return find_target(
        **{"url": None, "key": None, "key_file": None} | given, data_dir=data_dir, environ=environ or {}
    )


def found(target: Target) -> tuple[str, str | None]:
    return target.url, target.key


def test_without_a_word_it_is_the_server_of_this_machine(data_dir: Path) -> None:
    assert found(find(data_dir)) == ("http://127.0.0.1:8642", LOCAL)


def test_what_is_given_wins_over_the_environment(data_dir: Path, tmp_path: Path) -> None:
    environ = {"PLACET_URL": "http://localhost:9000/", "PLACET_API_KEY": "e"}
    key_file = tmp_path / "key"
    key_file.write_text("f\n")

    assert found(find(data_dir, environ)) == ("http://localhost:9000", "e")
    assert found(find(data_dir, environ, url="http://[::1]:1", key="g")) == ("http://[::1]:1", "g")
    assert found(find(data_dir, environ, key_file=key_file)) == ("http://localhost:9000", "f")


@pytest.mark.parametrize("url", ["http://example.org:8642", "https://placet.example.org", "http://10.0.0.1"])
def test_the_key_of_this_machine_goes_to_no_other(data_dir: Path, url: str) -> None:
    assert find(data_dir, url=url).key is None


@pytest.mark.parametrize("url", ["example.org", "ftp://x", "http://", "http://x:y", "http://x:99999", ""])
def test_what_is_no_address_is_refused(data_dir: Path, url: str) -> None:
    with pytest.raises(InvalidInput):
        find(data_dir, url=url or " ")


def test_a_key_file_that_cannot_be_read_is_told(data_dir: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        find(data_dir, key_file=data_dir / "nothing")


def test_a_directory_without_a_key_asks_without_one(tmp_path: Path) -> None:
    assert find(tmp_path / "nothing").key is None


def test_no_traceback_shows_the_key(data_dir: Path) -> None:
    assert LOCAL not in repr(find(data_dir))


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"PLACET_DATA_DIR": "/d"}, "/d"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/placet"),
        ({"XDG_DATA_HOME": "x", "HOME": "/h"}, "/h/.local/share/placet"),
        ({"HOME": "/h"}, "/h/.local/share/placet"),
    ],
)
def test_where_the_data_lies(environ: dict[str, str], place: str) -> None:
    assert default_data_dir(environ) == Path(place)
