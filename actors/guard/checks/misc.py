"""Checks of programs that stand alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge


def sysctl(judge: Judge, call: Call) -> None:
    """`sysctl NAME`: a value changes the kernel."""
    for operand in call.sorted.operands:
        if not operand.exact or "=" in operand.text:
            judge.ask("service", f"{call.title} {operand.source}", call.source)


def service(judge: Judge, call: Call) -> None:
    """`service NAME status`."""
    words = [arg.text for arg in call.args]
    if words != ["--status-all"] and words[1:] != ["status"]:
        judge.ask("service", call.title, call.source)


def rpm(judge: Judge, call: Call) -> None:
    """`rpm -q`, `-V`, `-K` ask and check; anything else changes packages."""
    first = call.args[0].text if call.args else ""
    if not re.fullmatch(r"-[qVK][a-zA-Z]*|--(query|verify|checksig)", first):
        judge.ask("installs", call.title, call.source)


def listing(judge: Judge, call: Call) -> None:
    """`ar t`, `unrar l`: the first word says what is done; listing and testing are harmless."""
    first = call.args[0].text.lstrip("-") if call.args else ""
    if not re.fullmatch(r"[tlvp]+[a-z]?", first) or (call.name == ("ar",) and first[:1] not in {"t", "p"}):
        judge.ask("overwrites", call.title, call.source)


def pacman(judge: Judge, call: Call) -> None:
    """`pacman -Q`, `-Ss`, `-Si`."""
    first = call.args[0].text if call.args else ""
    if not re.fullmatch(r"-(Q[a-zA-Z]*|S[si]+|Si|Fl?|F)", first) or "c" in first:
        judge.ask("installs", call.title, call.source)


def npm_audit(judge: Judge, call: Call) -> None:
    """`npm audit` reports; `npm audit fix` installs."""
    if call.sorted.operands:
        judge.ask("installs", call.title, call.source)


def npm_run(judge: Judge, call: Call) -> None:
    """`npm run` lists the scripts; with a name it runs one."""
    if call.args:
        judge.ask("runs_code", call.title, call.source)
        judge.file(Arg("package.json"), call.inside())


def yarn(judge: Judge, call: Call) -> None:
    """`yarn`: alone it installs; an unknown subcommand is a script."""
    if call.args and call.args[0].text in {
        "list",
        "why",
        "info",
        "outdated",
        "licenses",
        "help",
        "versions",
        "-v",
    }:
        return
    judge.ask("runs_code", call.title, call.source)
    judge.file(Arg("package.json"), call.inside())


def tsc(judge: Judge, call: Call) -> None:
    """`tsc --noEmit` checks types; otherwise it writes what its configuration says."""
    if not call.sorted.has("--noEmit") or any(o.text == "false" or not o.exact for o in call.sorted.operands):
        judge.ask("builds", call.title, call.source)


def kubectl_get(judge: Judge, call: Call) -> None:
    """`kubectl get`: listing; a secret's content is a secret."""
    operands = call.sorted.operands
    named = [operand.text.lower() for operand in operands]
    secret = any(re.match(r"(.*,)?secrets?(/|,|\.|\Z)|all\Z", name) for name in named[:1]) or any(
        not o.exact for o in operands[:1]
    )
    if secret and (call.sorted.has("-o", "--output", "--template") or call.name[-1] == "describe"):
        judge.ask("secret", call.title, call.source)


def pager(judge: Judge, call: Call) -> None:
    """`less`: `+` begins a command of its own."""
    for operand in call.sorted.operands:
        if operand.text.startswith("+") and not re.fullmatch(r"\+([GF]|[0-9]+|/[^!]*)", operand.text):
            judge.ask("interactive", f"{call.title} {operand.source}", call.source)
        judge.read(operand, call.scope)
