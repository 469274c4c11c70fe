"""A file's word changes when the file does, and no file can block or flood the server."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest
import trio

from placet.actors.agents import files
from placet.actors.agents.files import ABSENT, fingerprints

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.thread


async def word(path: Path) -> str:
    return (await fingerprints([path.name], directory=str(path.parent)))[path.name]


async def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "s.sh"
    file.write_text("echo benign")
    assert await word(file) == hashlib.sha256(b"echo benign").hexdigest()


async def test_an_absolute_path_stands_for_itself(tmp_path: Path) -> None:
    file = tmp_path / "s.sh"
    file.write_text("x")
    assert await fingerprints([str(file)], directory="/") == {str(file): hashlib.sha256(b"x").hexdigest()}


async def test_a_link_counts_as_what_it_leads_to(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    link = tmp_path / "link"
    link.symlink_to("a")
    first = await word(link)
    link.unlink()
    link.symlink_to("b")
    assert [first, await word(link)] == [await word(tmp_path / "a"), await word(tmp_path / "b")]


@pytest.mark.parametrize("name", ["missing", "file/below"])
async def test_what_is_not_there_is_absent(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert await fingerprints([name], directory=str(tmp_path)) == {name: ABSENT}


async def test_a_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with trio.fail_after(5):
        assert await word(tmp_path / "pipe") == "not a file: p"


async def test_a_directory_and_a_bad_name_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    words = await fingerprints([".", "loop", "a\0b"], directory=str(tmp_path))
    assert words == {".": "not a file: d", "loop": "unreadable: OSError", "a\0b": "unreadable: ValueError"}


async def test_a_large_file_is_not_read_and_its_word_still_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "HASH_BYTES", 10)
    file = tmp_path / "large"
    file.write_text("x" * 11)
    first = await word(file)
    file.write_text("y" * 12)
    assert first.startswith("large: 11 ")
    assert await word(file) != first


async def test_no_path_needs_no_thread(autojump_clock: trio.testing.MockClock) -> None:
    assert await fingerprints([], directory="/") == {}
