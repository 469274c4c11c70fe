"""`placet guard` on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from placet.http.cli.guard import guard


def run(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(guard, [*args, "--cwd", "/work", "--home", "/home/dev"], input=stdin)


@pytest.mark.parametrize(("command", "status"), [("ls", 0), ("rm -rf x", 1)])
def test_the_exit_status_tells(command: str, status: int) -> None:
    """0 runs, 1 asks."""
    result = run(command)

    assert result.exit_code == status
    assert result.output.startswith(("run: ls", "ask: rm -rf x"))


def test_text_says_why_and_what_a_rule_would_cover() -> None:
    """A person reads the reasons, the files and the rule."""
    output = run("sh ./s.sh").output

    assert "because sh ./s.sh runs code whose effect is not known [runs_code]" in output
    assert "decided by the content of: s.sh" in output
    assert "would create: allow exactly 'sh ./s.sh' in exactly '/work'" in output


def test_json_holds_everything_but_secrets() -> None:
    """The record is for programs; what it shows is masked."""
    record = json.loads(run("--json", "curl -u me:hunter2 http://h; rm x").output)

    assert record["verdict"] == "ask"
    assert [reason["code"] for reason in record["reasons"]] == ["outward", "outward", "deletes"]
    assert record["command"] == "curl -u me:*** http://h; rm x"
    assert record["choices"] == ["once", "session", "always", "deny"]
    assert "hunter2" not in json.dumps(record)


def test_jsonl_judges_a_line_each(tmp_path: Path) -> None:
    """One record a line, in order; the strictest decides the status; a line may name its directory."""
    rules = tmp_path / "placet.toml"
    rules.write_text('[guard]\ndeny = ["sudo"]\nallow = ["npm test"]\nask = ["git log"]\n')
    commands = ["ls", "sudo id", "npm test", "git log", "ls \ud800"]
    stdin = "\n".join(json.dumps({"command": command, "id": 1}) for command in commands)
    there = json.dumps({"command": "echo x > hosts", "directory": "/etc"})

    result = run("--jsonl", "--config", str(rules), stdin=f"{stdin}\n\n{there}\n")

    verdicts = [json.loads(line)["verdict"] for line in result.output.splitlines()]
    assert verdicts == ["run", "deny", "run", "ask", "ask", "ask"]
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[guard]\ndeny = ["\'"]\n', 'the deny rule "\'"'),
        ("[guard]\ndenies = []\n", "denies"),
        ("[guard", "placet.toml"),
        ("[guard]\ndeny = 1\n", "$.guard.deny"),
    ],
)
def test_a_bad_configuration_is_no_verdict(text: str, told: str, tmp_path: Path) -> None:
    """A mistake of the caller has an exit status of its own, and names the place."""
    rules = tmp_path / "placet.toml"
    rules.write_text(text)

    result = run("ls", "--config", str(rules))

    assert result.exit_code == 64
    assert told in result.output


@pytest.mark.parametrize("stdin", ["ls\n", '{"cmd": "ls"}\n', "[1]\n", '{"command": 5}\n'])
def test_a_line_that_is_no_command_is_no_verdict(stdin: str) -> None:
    """A broken batch stops and says at which line."""
    result = run("--jsonl", stdin=stdin)

    assert result.exit_code == 64
    assert "line 1" in result.output


def test_nothing_to_judge_is_no_verdict() -> None:
    """Without a command there is nothing to say."""
    assert run().exit_code == 64
