"""`placet guard`: what the guard thinks of a command, and why.

Exit status: 0 run, 1 ask, 2 deny; with several commands the strictest. It reads no file but the configuration, and follows links.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from typing import TYPE_CHECKING, TextIO

import click
import msgspec

from placet.actors.guard import Judgement, Policy, Verdict, judge
from placet.actors.protocol.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable

_STATUS = {Verdict.RUN: 0, Verdict.ASK: 1, Verdict.DENY: 2}
_BAD_USAGE = 64  # sysexits' EX_USAGE: 2, click's own, would read as a refusal


class _Rules(msgspec.Struct, forbid_unknown_fields=True):
    deny: list[str] = []
    ask: list[str] = []
    allow: list[str] = []
    protected: list[str] = []


class _Config(msgspec.Struct):
    guard: _Rules = msgspec.field(default_factory=_Rules)


class _Line(msgspec.Struct):
    command: str
    directory: str | None = None


class _BadUsage(click.ClickException):
    exit_code = _BAD_USAGE


@click.command()
@click.argument("command", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the judgement as JSON.")
@click.option(
    "--jsonl",
    is_flag=True,
    help='Read {"command": ...} lines from standard input, print one judgement a line.',
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    help="TOML with the operator's rules under [guard].",
)
@click.option(
    "--cwd", default=os.getcwd, help="The directory in which the command would start.", show_default="here"
)
@click.option(
    "--home", default=lambda: os.path.expanduser("~"), help="The home directory.", show_default="yours"
)
def guard(command: str | None, as_json: bool, jsonl: bool, config: str | None, cwd: str, home: str) -> None:
    """Say whether COMMAND would run, ask or be refused, and why. Nothing is run.

    Exit status: 0 run, 1 ask, 2 deny.
    """
    policy = _policy(config, os.path.abspath(home))
    if jsonl:
        sys.exit(_lines(sys.stdin, policy, os.path.abspath(cwd)))
    if command is None:
        raise _BadUsage("give a command, or --jsonl and commands on standard input")
    judgement = judge(command, os.path.abspath(cwd), policy)
    click.echo(msgspec.json.encode(_record(judgement)).decode() if as_json else "\n".join(_text(judgement)))
    sys.exit(_STATUS[judgement.verdict])


def _policy(config: str | None, home: str) -> Policy:
    try:
        rules = _Rules()
        if config is not None:
            with open(config, "rb") as file:
                rules = msgspec.convert(tomllib.load(file), _Config).guard
        return Policy(rules.deny, rules.ask, rules.allow, rules.protected, home, os.path.realpath)
    except (InvalidInput, msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        raise _BadUsage(f"{config}: {error}") from None


def _lines(lines: TextIO, policy: Policy, cwd: str) -> int:
    """Judge a command a line; the strictest status."""
    status = 0
    for number, text in enumerate(lines, 1):
        if text.strip():
            try:
                line = msgspec.convert(json.loads(text), _Line)  # msgspec's decoder refuses lone surrogates
            except (ValueError, msgspec.ValidationError) as error:
                raise _BadUsage(f"line {number}: {error}") from None
            judgement = judge(line.command, line.directory or cwd, policy)
            status = max(status, _STATUS[judgement.verdict])
            click.echo(msgspec.json.encode(_record(judgement)).decode())
    return status


def _record(judgement: Judgement) -> dict[str, object]:
    """The judgement without the unmasked command that its rule holds."""
    return {
        "verdict": judgement.verdict,
        "reasons": judgement.reasons,
        "command": judgement.masked.encode(errors="backslashreplace").decode(),
        "display": judgement.display,
        "warnings": judgement.warnings,
        "files": judgement.files,
        "choices": judgement.choices,
    }


def _text(judgement: Judgement) -> Iterable[str]:
    yield f"{judgement.verdict.value}: {judgement.display}"
    for reason in judgement.reasons:
        yield f"  {reason.verdict.value} because {reason.text} [{reason.code}]"
    for warning in judgement.warnings:
        yield f"  beware: {warning}"
    if judgement.files:
        yield f"  decided by the content of: {', '.join(judgement.files)}"
    if judgement.rule is not None:
        yield f"  `session` or `always` would create: {judgement.rule.meaning}"
