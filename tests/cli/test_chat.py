"""`placet chat` through pipes, against a real server: nothing asked in place, nothing lost, nothing twice."""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING

import pytest
import trio

from tests.cli.calling import TALKER, call, started
from tests.cli.proxy import proxied
from tests.helpers import PATIENCE_S
from tests.system.server import script, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.slow]


def words(count: int) -> str:
    return "".join(f"w{number} " for number in range(1, count + 1))


def said(output: str) -> str:
    """The words in the output, without what is said of the connection."""
    return "".join(re.findall(r"w\d+ ", output))


async def test_lines_are_messages_and_a_prompt_is_left_open(tmp_path: Path) -> None:
    ask = script({"say": "now "}, {"ask": "rm -rf ./victim"}, {"say": "then"})
    async with serving(tmp_path, TALKER) as server, started(server, "chat", "--session", "s") as chat:
        await chat.say("one")
        await chat.until("one\n")
        await chat.say("think")
        await chat.until("hm, hm\nthought\n")
        await chat.say(ask.replace("\n", " "))  # no JSON on a line: said as it is
        await chat.until(r"ask.*\n")
        assert await chat.end() == 0

        async with started(server, "chat", "--session", "s", ask) as one:
            asked = await one.until(r"│ rm -rf ./victim\n(?s:.*)placet approvals approve (\w+)")
            assert (await call(server, "approvals", "approve", asked[1])).exit_code == 0
            assert await one.end() == 0
        assert one.output.endswith("✓ allowed, once, by api  (rm -rf ./victim)\nthen\n")
        assert server.lines("decisions") == ["once approved"]
        for output in (chat.output, one.output):
            assert "\x1b" not in output
            assert "\r" not in output


async def test_a_cut_loses_no_word_and_doubles_none(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server, proxied(server) as proxy:
        message = script({"words": 60, "every_s": 0.02}, {"wait_for": "go"})
        async with started(server, "chat", message, url=proxy.url) as chat:
            for seen in ("w5 ", "w20 ", "w40 "):
                await chat.until(seen)
                proxy.cut()
            (server.work / "go").touch()
            assert await chat.end() == 0

    assert said(chat.output) == words(60)
    assert chat.output.count("The connection is lost") == chat.output.count("Connected again.") >= 1
    assert proxy.connections >= 3


async def test_a_server_that_is_killed_and_started_again_goes_on(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        message = script({"words": 30, "every_s": 0.02}, {"ask": "rm x"}, {"say": "end"})
        async with started(server, "chat", message) as chat:
            asked = await chat.until("approvals approve (\\w+)")
            await server.kill()
            await chat.until("The connection is lost")
            await server.restart()
            await chat.until("the run goes on")
            assert (await call(server, "approvals", "deny", asked[1], "--reason", "no")).exit_code == 0
            assert await chat.end() == 0

    assert said(chat.output) == words(30)
    assert chat.output.endswith("✗ denied by api: no  (rm x)\nend\n")


async def test_ctrl_c_stops_the_run_but_only_leaves_where_programs_read(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        async with started(server, "chat", script({"say": "begun"}, {"wait_for": "never"})) as chat:
            await chat.until("begun")
            chat.process.send_signal(signal.SIGINT)
            assert await chat.end() == 3
        assert chat.output == "begun\nStopping. Ctrl-C again leaves.\nThe run was stopped.\n"

        async with started(
            server, "chat", "--json", script({"say": "begun"}, {"wait_for": "go"})
        ) as watching:
            await watching.until('.*"message.delta".*\n')
            watching.process.send_signal(signal.SIGINT)
            assert await watching.end() == 130
        events = [json.loads(line) for line in watching.output.splitlines()]
        assert [event["event"] for event in events] == ["run.queued", "run.started", "message.delta"]
        (server.work / "go").touch()
        await server.run_becomes(events[0]["run_id"], "completed")


async def test_what_a_server_says_never_acts_on_the_terminal(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server, started(server, "chat", "hostile") as chat:
        asked = await chat.until("approvals approve (\\w+)")
        assert (await call(server, "approvals", "approve", asked[1])).exit_code == 0
        assert await chat.end() == 0

    assert "said \\x1b[2J\\x1b]0;owned\\x07\\u202edne" in chat.output
    assert not set("\x1b\x07\u202e\r") & set(chat.output)


async def test_a_reader_that_leaves_ends_it_without_a_word(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        async with started(server, "chat", script({"words": 100, "every_s": 0.02})) as chat:
            await chat.until("w3 ")
            assert chat.process.stdout is not None
            await chat.process.stdout.aclose()
            with trio.fail_after(PATIENCE_S):
                assert await chat.process.wait() == 130


async def test_it_waits_behind_what_the_session_does_and_comes_back_to_it(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        first = script({"say": "begun "}, {"wait_for": "go"}, {"say": "done"})
        async with started(server, "chat", "--session", "s", first) as chat:
            await chat.until("begun")
            async with started(server, "chat", "--session", "s") as later:
                await later.until(r"› \{.*\n(?s:.*)begun ")
                async with started(server, "chat", "--session", "s", "after") as last:
                    await last.until("Waiting behind 1 in this session.\n")
                    (server.work / "go").touch()
                    assert [await each.end() for each in (chat, later, last)] == [0, 0, 0]
        assert later.output.endswith("begun done\n")
        assert last.output == "Waiting behind 1 in this session.\nafter\n"


async def test_all_of_standard_input_is_one_message_whatever_it_holds(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        for message in (b"caf\xe9", b"\xed\xa0\x80", "zwölf, drei\n".encode()):
            async with started(server, "chat", "-") as chat:
                assert chat.process.stdin is not None
                await chat.process.stdin.send_all(message)
                assert await chat.end() == 0
                assert chat.output.rstrip() == message.decode(errors="replace").rstrip()
