"""The file tools: what they do, and where they ask."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from placet.actors.agents import Surroundings
from placet.actors.agents.tools import Request, Tool
from placet.actors.agents.tools.files import edit_file, read_file, write_file
from placet.actors.agents.tools.looking import ENTRIES_MAX, list_files, search
from placet.actors.guard import Policy
from placet.actors.protocol.approvals import Decision
from placet.actors.protocol.limits import Limits
from tests.agents.fakes import APPROVED, DENIED, FakeTurn

pytestmark = pytest.mark.thread


class Desk:
    """A workspace `work` with something beside it, of which `data` is Placet's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        (folder / "data").mkdir()
        (folder / "data" / "api_key").write_text("secret")
        self.turn = FakeTurn()
        self.number = 0

    async def run(self, wanted: Tool, *answers: Any, **arguments: Any) -> str:
        self.number += 1
        self.turn = FakeTurn(workspace=str(self.work), answers=answers)
        policy = Policy(protected=(str(self.folder / "data"),))
        self.turn.surroundings = Surroundings(str(self.work), Limits(), policy)
        return await wanted.run(self.turn, Request(f"c{self.number}", arguments))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_write_read_edit(desk: Desk) -> None:
    assert (
        await desk.run(write_file, path="a/b.txt", content="one\ntwo\nthree ✅\n") == "18 bytes are written."
    )
    assert await desk.run(read_file, path="a/b.txt") == "one\ntwo\nthree ✅\n"
    assert await desk.run(read_file, path="a/b.txt", first_line=2, lines=1) == "two\n\n[1 more lines]"
    assert await desk.run(edit_file, path="a/b.txt", old="two", new="2") == "1 replaced."
    assert (desk.work / "a" / "b.txt").read_text() == "one\n2\nthree ✅\n"
    assert os.listdir(desk.work / "a") == ["b.txt"]
    assert desk.turn.asks() == []


async def test_an_edit_must_know_what_it_replaces(desk: Desk) -> None:
    (desk.work / "f").write_text("x x")
    assert "not in the file" in await desk.run(edit_file, path="f", old="y", new="z")
    assert "not in the file" in await desk.run(edit_file, path="f", old="", new="z")
    assert "2 times" in await desk.run(edit_file, path="f", old="x", new="z")
    assert await desk.run(edit_file, path="f", old="x", new="z", everywhere=True) == "2 replaced."
    assert (desk.work / "f").read_text() == "z z"


async def test_a_replaced_file_keeps_its_mode(desk: Desk) -> None:
    script = desk.work / "run.sh"
    script.write_text("echo")
    script.chmod(0o755)
    await desk.run(write_file, path="run.sh", content="echo 2")
    assert script.stat().st_mode & 0o777 == 0o755


async def test_what_is_no_text_file_is_told(desk: Desk) -> None:
    (desk.work / "binary").write_bytes(b"\xff\xfe")
    os.mkfifo(desk.work / "fifo")
    assert await desk.run(read_file, path="binary") == "The file is no text in UTF-8."
    assert await desk.run(read_file, path="fifo") == "This is no file."
    assert "No such file" in await desk.run(read_file, path="none")
    assert "irectory" in await desk.run(write_file, path=".", content="x")


async def test_writing_outside_the_workspace_asks(desk: Desk) -> None:
    place = desk.folder / "outside"
    told = await desk.run(write_file, DENIED, path="../outside", content="x")
    assert told == "This was not done: it was denied (not today)."
    assert not place.exists()
    (ask,) = desk.turn.asks()
    assert str(place) in ask["description"]
    assert (ask["directory"], ask["files"]) == (str(place), {str(place): "absent"})
    assert await desk.run(write_file, APPROVED, path=str(place), content="x") == "1 bytes are written."
    assert place.read_text() == "x"


async def test_a_link_is_judged_by_where_it_leads(desk: Desk) -> None:
    (desk.work / "link").symlink_to(desk.folder)
    await desk.run(write_file, DENIED, path="link/outside", content="x")
    assert desk.turn.asks()[0]["directory"] == str(desk.folder / "outside")
    told = await desk.run(read_file, path="link/data/api_key")
    assert told.startswith("This was not done, it is forbidden")


async def test_files_that_run_programs_are_asked_about(desk: Desk) -> None:
    await desk.run(write_file, DENIED, path=".git/hooks/pre-commit", content="x")
    await desk.run(edit_file, DENIED, path=".envrc", old="a", new="b")
    assert len(desk.turn.asks()) == 1


async def test_placets_own_places_are_forbidden(desk: Desk) -> None:
    for wanted, more in (
        (read_file, {}),
        (write_file, {"content": "x"}),
        (list_files, {}),
        (search, {"text": "s"}),
    ):
        told = await desk.run(wanted, path="../data/api_key", **more)
        assert told.startswith("This was not done, it is forbidden"), wanted.name
    assert (desk.folder / "data" / "api_key").read_text() == "secret"


async def test_a_secret_is_asked_about(desk: Desk) -> None:
    (desk.work / "id_rsa").write_text("key")
    assert "denied" in await desk.run(read_file, DENIED, path="id_rsa")
    assert await desk.run(read_file, APPROVED, path="id_rsa") == "key"


async def test_a_decision_is_not_used_for_a_file_that_changed(desk: Desk) -> None:
    place = desk.folder / "outside"
    place.write_text("as it was shown")

    def change_and_approve() -> Decision:
        place.write_text("changed meanwhile")
        return APPROVED

    told = await desk.run(edit_file, change_and_approve, DENIED, path=str(place), old="a", new="b")
    assert "denied" in told
    assert place.read_text() == "changed meanwhile"
    first, second = desk.turn.asks()
    assert first["files"] != second["files"]


async def test_a_link_that_is_turned_after_the_look_is_looked_at_again(desk: Desk) -> None:
    link = desk.work / "link"
    link.symlink_to(desk.folder)

    def turn_and_approve() -> Decision:
        link.unlink()
        link.symlink_to("/etc")
        return APPROVED

    assert "denied" in await desk.run(write_file, turn_and_approve, DENIED, path="link/x", content="x")
    assert [ask["directory"] for ask in desk.turn.asks()] == [str(desk.folder / "x"), "/etc/x"]
    assert not (desk.folder / "x").exists()


async def test_list_and_search(desk: Desk) -> None:
    for name in ("a.py", "b.txt", "sub/c.py", "sub/deep/d.py", ".git/config", "node_modules/m.py"):
        place = desk.work / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("first\nfind ME here\n")
    (desk.work / "loop").symlink_to(desk.work)
    listed = (await desk.run(list_files, depth=2)).splitlines()
    assert listed == [
        ".git/", "a.py", "b.txt", "loop", "node_modules/", "sub/", "sub/c.py", "sub/deep/",
    ]  # fmt: skip
    assert await desk.run(list_files, path="sub", pattern="*.py") == "c.py\ndeep/d.py"
    hits = await desk.run(search, text="find me", pattern="*.py", ignore_case=True)
    assert hits.splitlines() == [
        "a.py:2: find ME here", "sub/c.py:2: find ME here", "sub/deep/d.py:2: find ME here",
    ]  # fmt: skip
    assert await desk.run(search, text="find me") == "Nothing."
    assert await desk.run(search, text="ME", path="a.py") == "a.py:2: find ME here"
    assert await desk.run(list_files, path="a.py") == "There is no such directory."
    assert await desk.run(search, text="") == "There is nothing to search for."


async def test_neither_shows_what_may_not_be_read(desk: Desk) -> None:
    (desk.work / "id_rsa").write_text("secret")
    assert await desk.run(search, text="secret", path="..") == "Nothing."
    assert "data" not in await desk.run(list_files, path="..")


async def test_both_are_bounded(desk: Desk) -> None:
    for number in range(ENTRIES_MAX + 5):
        (desk.work / f"{number}").write_text("x\nx\n")
    assert (await desk.run(list_files)).splitlines()[-1] == f"[more than {ENTRIES_MAX}; ask for less]"
    hits = (await desk.run(search, text="x")).splitlines()
    assert len(hits) == ENTRIES_MAX + 1
