"""The terminal as a person sees it: typed into and read by tmux, against a real server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.calling import TALKER
from tests.cli.pane import needs_tmux, showing
from tests.system.server import script, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow, needs_tmux]

ASKED = r"o once  s session  a always  d deny  q leave open  · \d+:\d\d left"

WHY = r"why not \(Enter for no reason\) › *$"


async def test_a_talk_with_a_yes_a_no_and_someone_who_is_faster(tmp_path: Path) -> None:
    async with serving(tmp_path, "demo") as server, showing(server, "chat") as pane:
        victim = server.victim()
        await pane.until("^› *$")
        await pane.type("$ touch a && rm -v a")
        shown = await pane.until(ASKED)
        assert "? May this run? · terminal\n  │ touch a && rm -v a\n" in shown
        assert f"in        {server.work}" in shown
        assert "always    terminal: exactly `touch a && rm -v a`" in shown
        await pane.press("o")
        shown = await pane.until(r"exit status 0\)\n\n› *$")
        assert re.search(r"✓ allowed, once, by api\n· terminal  touch a && rm -v a\n  removed 'a'\n", shown)
        assert not re.search(ASKED, shown)

        await pane.type("$ rm -rf victim")
        await pane.until(ASKED)
        await pane.press("d")
        await pane.until(WHY)
        await pane.type("keep it")
        await pane.until(r"✗ denied by api: keep it\nThe command was not run")
        assert victim.exists()

        await pane.type("$ rm -rf ./victim")
        await pane.until(ASKED)
        await server.answer((await server.open_prompts())[0], "deny", reason="I was faster")
        shown = await pane.until(r"✗ denied by api: I was faster\nThe command was not run")
        assert not re.search(ASKED, shown)
        assert victim.exists()

        await pane.type("/slow 400")
        await pane.until("word 9 ")
        await pane.press("C-c")
        await pane.until(r"Stopping. Ctrl-C again leaves.\n(?s:.*)The run was stopped.\n\n› *$")
        await pane.press("Up")
        await pane.until(r"› /slow 400 *$")
        await pane.press("C-u", "C-d")
        await pane.until(r"Come back with: placet chat --session chat-\w+\nexit=0")


async def test_questions_in_words_several_at_once_and_over_a_crash(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server, showing(server, "chat", "--session", "s") as pane:
        await pane.until(r"There is no session s yet; it begins with what you say.\n› *$")
        await pane.type("which way")
        await pane.until(r"│ Which way\?\n  1         left\n  2         right\n  answer › *$")
        await pane.type("2")
        await pane.until(r"✓ answered by api: right\nwent right\n\n› *$")

        await pane.type(script({"both": [[{"ask": "rm one"}], [{"ask": "rm two"}]]}))
        first = await pane.until(rf"{ASKED}  \+1")
        asked = re.findall(r"│ (rm \w+)$", first, re.MULTILINE)
        assert len(asked) == 1, "one after the other"
        await server.kill()
        await pane.until(rf"{ASKED}  \+1  no connection")
        await server.restart()
        await pane.until(rf"{ASKED}  \+1 *$")
        await pane.press("q")
        await pane.until(rf"│ rm \w+\n(?s:.*)│ rm \w+\n(?s:.*){ASKED} *$")
        await pane.press("s")
        await pane.until("1 left open · r asks again, Ctrl-D leaves and it goes on")
        await pane.press("r")
        await pane.until(ASKED)
        await pane.press("o")
        await pane.until(r"✓ allowed, once, by api(?s:.*)› *$")
        assert sorted(server.lines("decisions")) == ["once approved", "session approved"]


async def test_watching_the_inbox_answers_in_place(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, TALKER) as server,
        showing(server, "approvals", "watch", NO_COLOR="1") as pane,
    ):
        await pane.until("Nothing waits")
        for session, command in (("a", "rm first"), ("b", "rm second")):
            body = {"input": script({"ask": command}), "session_id": session}
            assert (await server.api.ask("POST", "/v1/runs", body)).status == 202
            await server.open_prompts(1 if session == "a" else 2)
        await pane.until(rf"│ rm first\n  asked in  a\n(?s:.*){ASKED}  \+1")
        await pane.press("o")
        await pane.until(rf"✓ allowed, once, by api(?s:.*)│ rm second\n(?s:.*){ASKED} *$")
        await pane.press("d")
        await pane.until(WHY)
        await pane.press("Enter")
        await pane.until("✗ denied by api")
        await pane.press("C-c")
        await pane.until("exit=130")
        assert "\x1b" not in await pane.text("-e"), "NO_COLOR is heard"
        assert sorted(server.lines("decisions")) == ["deny denied", "once approved"]
