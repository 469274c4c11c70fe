"""The operator's commands against a real server: what they print, their JSON, and how they refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from placet.http.cli import main
from tests.cli.calling import TALKER, ask_json, call, started
from tests.system.server import script, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.server import Server

pytestmark = [pytest.mark.server, pytest.mark.slow]


async def begin(server: Server, text: str, session_id: str = "s") -> str:
    """Submit a run; its id."""
    reply = await server.api.ask("POST", "/v1/runs", {"input": text, "session_id": session_id})
    assert reply.status == 202, reply
    return str(reply.json["run_id"])


async def asked(server: Server, text: str, session_id: str = "s") -> str:
    """Submit a run that asks; the id of its prompt."""
    known = {row["request_id"] for row in await server.inbox()}
    run_id = await begin(server, text, session_id)
    await server.run_becomes(run_id, "waiting_for_approval")
    return next(row["request_id"] for row in await server.inbox() if row["request_id"] not in known)


async def refuses(server: Server, *arguments: str, status: int, told: str, **environ: str) -> None:
    """The command prints nothing but, on standard error, why not; and ends with that status."""
    result = await call(server, *arguments, **environ)
    assert (result.exit_code, result.stdout) == (status, ""), result.output
    assert told in result.stderr


async def test_prompts_are_listed_shown_and_answered(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        assert (await call(server, "approvals", "list")).stdout == "Nothing waits.\n"
        one = await asked(server, script({"ask": "rm one"}, {"sleep": 60}), "a")
        two = await asked(server, script({"ask": "rm two"}), "b")
        three = await asked(server, "which way", "c")

        listed = (await call(server, "approvals", "list")).stdout
        assert [line.split()[0] for line in listed.splitlines()] == ["ID", one, two, three]
        assert "Which way?" in listed
        found = await ask_json(server, "approvals", "list", "--limit", "2")
        assert [row["display"] for row in found["data"]] == ["rm one", "rm two"]
        assert found["has_more"] is True
        assert len((await ask_json(server, "approvals", "list", "--limit", "0"))["data"]) == 3

        shown = (await call(server, "approvals", "show", one)).stdout
        assert "│ rm one\n" in shown
        assert "open, 59:" in shown
        assert (await ask_json(server, "approvals", "show", one))["request_id"] == one

        assert (await call(server, "approvals", "approve", one)).stdout == f"{one}: once, by api\n"
        again = await ask_json(server, "approvals", "approve", one)
        assert (again["status"], again["choice"]) == ("already_resolved", "once")
        await refuses(
            server, "approvals", "deny", one, status=1, told="already answered: once. [already_resolved]"
        )
        denied = await call(server, "approvals", "deny", two, "--reason", "no\x1b[2J")
        assert denied.stdout == f"{two}: deny, by api\n"
        assert "denied (deny) by api, " in (await call(server, "approvals", "show", two)).stdout
        await refuses(server, "approvals", "answer", three, "up", status=1, told="[invalid_answer]")
        assert (await ask_json(server, "approvals", "answer", three, "left"))["answer"] == "left"
        assert (await ask_json(server, "approvals", "list"))["data"] == []
        assert len((await ask_json(server, "approvals", "list", "--status", "denied"))["data"]) == 1


async def test_what_nobody_can_do_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        for command, told in (
            (("approvals", "show", "x"), "`placet approvals list` shows what waits"),
            (("approvals", "approve", "../../health"), "[not_found]"),
            (("sessions", "show", "x"), "`placet sessions list` shows them"),
            (("sessions", "delete", "x", "--yes"), "[session_not_found]"),
            (("rules", "revoke", "x"), "`placet rules list` shows them"),
            (("runs", "stop", "x"), "`placet runs list` shows them"),
            (("runs", "resolve-unknown", "x", "--yes"), "[run_not_found]"),
        ):
            await refuses(server, *command, status=1, told=told)
        await refuses(server, "sessions", "delete", "x", status=2, told="Give --yes")
        await refuses(server, "runs", "resolve-unknown", "x", status=2, told="Give --yes")
        await refuses(server, "approvals", "list", "--status", "x", status=2, told="Invalid value")
        await refuses(server, "runs", "list", "--url", "nowhere", status=2, told="no address of a server")
        await refuses(
            server, "runs", "list", PLACET_API_KEY="wrong", status=1, told="--key-file or PLACET_API_KEY"
        )
        await refuses(
            server, "chat", "hello", PLACET_URL="http://127.0.0.1:1", status=69, told="Is it running?"
        )
        await refuses(
            server, "approvals", "list", "--json", PLACET_URL="http://127.0.0.1:1", status=69, told="Is it"
        )


async def test_a_key_that_may_not_decide_is_told_so(tmp_path: Path) -> None:
    digest = (
        "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"  # of the word in the call below
    )
    config = f'[[principal]]\nname = "ann"\nkey_sha256 = "{digest}"\nrole = "client"\n'
    async with serving(tmp_path, TALKER, config=config) as server:
        key_file = tmp_path / "key"
        key_file.write_text("password\n")
        as_ann = {"PLACET_API_KEY": "password"}
        async with started(server, "chat", "--key-file", str(key_file), script({"ask": "rm x"})) as chat:
            name = (await chat.until("approvals approve (\\w+)"))[1]
            await refuses(server, "approvals", "approve", name, status=1, told="key of an approver", **as_ann)
            assert (await call(server, "approvals", "deny", name)).exit_code == 0
            assert await chat.end() == 0


async def test_sessions_are_listed_read_and_deleted(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        assert (await call(server, "sessions", "list")).stdout == "There is no session.\n"
        for number in range(3):
            await server.run_becomes(await begin(server, f"hello {number}", f"s{number}"), "completed")

        listed = (await call(server, "sessions", "list")).stdout
        assert listed.splitlines()[1].startswith("s2 ")
        assert listed.splitlines()[1].endswith("  2         api  hello 2")
        assert [row["id"] for row in (await ask_json(server, "sessions", "list"))["data"]] == [
            "s2",
            "s1",
            "s0",
        ]
        shown = (await call(server, "sessions", "show", "s1")).stdout
        assert shown.startswith("s1\n  2 messages, 0 tokens, of api, last active ")
        assert shown.endswith("\nuser:\nhello 1\n\nassistant:\nhello 1\n")
        found = await ask_json(server, "sessions", "show", "s1", "--messages", "1")
        assert (found["session"]["id"], len(found["messages"])) == ("s1", 1)
        assert (
            await call(server, "sessions", "delete", "s0", "s1", "--yes")
        ).stdout == "s0: deleted\ns1: deleted\n"
        assert (await ask_json(server, "sessions", "delete", "s2", "--yes"))["deleted"] is True
        assert (await ask_json(server, "sessions", "list"))["data"] == []


async def test_rules_and_runs(tmp_path: Path) -> None:
    async with serving(tmp_path, TALKER) as server:
        await _rules_are_listed_and_revoked(server)
        await _runs_are_listed_shown_and_stopped(server)


async def _rules_are_listed_and_revoked(server: Server) -> None:
    assert (await call(server, "rules", "list")).stdout == "No approval is remembered.\n"
    for choice in ("session", "always"):
        name = await asked(server, script({"ask": f"rm {choice}"}), choice)
        assert (await call(server, "approvals", "approve", name, f"--{choice}")).exit_code == 0

    rules = (await ask_json(server, "rules", "list"))["data"]
    assert {rule["scope"] for rule in rules} == {"session", "always"}
    assert "terminal: exactly `rm always` in" in (await call(server, "rules", "list")).stdout
    first, second = (rule["id"] for rule in rules)
    assert (await call(server, "rules", "revoke", first)).stdout == f"{first}: revoked\n"
    assert (await ask_json(server, "rules", "revoke", second))["deleted"] is True
    assert (await ask_json(server, "rules", "list"))["data"] == []


async def _runs_are_listed_shown_and_stopped(server: Server) -> None:
    done = await begin(server, "hello", "a")
    await server.run_becomes(done, "completed")
    name = await asked(server, script({"say": "so far"}, {"ask": "rm x"}), "b")
    listed = (await call(server, "runs", "list", "--session", "a")).stdout.splitlines()
    assert (len(listed), listed[1].split()[:2]) == (2, [done, "completed"])
    waiting = (await ask_json(server, "runs", "list", "--status", "waiting_for_approval"))["data"]
    run_id = waiting[0]["run_id"]

    shown = (await call(server, "runs", "show", run_id)).stdout
    assert "waiting_for_approval" in shown
    assert f"? open: rm x\n    It waits. To answer it:\n      placet approvals approve {name}\n" in shown
    assert (await call(server, "runs", "show", done)).stdout.endswith("\n\nhello\n")
    assert (await ask_json(server, "runs", "show", done))["output"] == "hello"
    assert (await call(server, "runs", "stop", run_id)).stdout.startswith(f"{run_id}: ")
    await server.run_becomes(run_id, "cancelled")
    await refuses(server, "runs", "resolve-unknown", run_id, "--yes", status=1, told="placet: ")


async def test_the_inbox_is_watched_by_people_and_by_programs(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, TALKER) as server,
        started(server, "approvals", "watch", "--json") as program,
        started(server, "approvals", "watch") as person,
    ):
        await program.until("inbox.ready.*\n")
        await person.until("Nothing waits")
        name = await asked(server, script({"ask": "rm x"}))
        await person.until(f"    placet approvals approve {name}\n    placet approvals deny {name}\n")
        await call(server, "approvals", "deny", name)
        await person.until(r"✗ denied by api  \(rm x\)\n")
        await program.until("approval.responded.*\n")

    events: list[dict[str, Any]] = [json.loads(line) for line in program.output.splitlines()]
    assert [event["event"] for event in events] == ["inbox.ready", "approval.request", "approval.responded"]


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o"), ("zsh", "#compdef placet"), ("fish", "complete --no-files")]
)
async def test_each_shell_gets_its_completion(tmp_path: Path, shell: str, word: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert (result.exit_code, word in result.stdout) == (0, True)
