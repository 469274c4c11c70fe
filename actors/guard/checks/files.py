"""File tools whose operands have a form of their own."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge

_HARMLESS_MODE = re.compile(r"[ugoa]*\+[rxX]+|0?[4-7][0-57][0-5]")


def dd(judge: Judge, call: Call) -> None:
    """`dd if=... of=...`."""
    for arg in call.args:
        name, _, value = arg.text.partition("=")
        path = Arg(value, arg.exact, arg.glob, source=arg.source)
        if name == "if" and value in {"/dev/null", "/dev/zero"}:
            judge.ask("overwrites", call.title, call.source)
        if name == "of":
            judge.write(path, call.scope)
        elif name == "if":
            judge.read(path, call.scope)
        elif not arg.exact and not name:
            judge.ask("unclear", arg.source, call.source)


def chmod(judge: Judge, call: Call) -> None:
    """`chmod`: letting the owner run or all read a file in the workspace is harmless."""
    operands = call.sorted.operands
    harmless = bool(operands) and _HARMLESS_MODE.fullmatch(operands[0].text) and operands[0].known
    if not harmless or any(option.name not in {"-v", "-c", "-f"} for option in call.sorted.options):
        judge.ask("permissions", call.title, call.source)
    for operand in operands[1:]:
        judge.write(operand, call.scope)


def ln(judge: Judge, call: Call) -> None:
    """`ln`: the link and what it leads to are as good as written, since whoever writes to the one writes to the other."""
    operands = call.sorted.operands
    into = call.sorted.values("-t", "--target-directory")
    targets, link = (
        (operands, into[0])
        if into
        else (operands[:-1] or operands, operands[-1] if operands[1:] else Arg("."))
    )
    judge.write(link, call.scope)
    for target in targets:
        name = posixpath.basename(target.text.rstrip("/"))
        judge.write(
            Arg(posixpath.join(link.text, name), link.exact and target.exact, source=target.source),
            call.scope,
        )
        for place in (posixpath.dirname(link.text), link.text):
            led = posixpath.join(place, target.text) if call.sorted.has("-s", "--symbolic") else target.text
            judge.write(Arg(led, target.exact and link.exact, target.glob, source=target.source), call.scope)


def date(judge: Judge, call: Call) -> None:
    """`date`: an operand that is no format sets the clock."""
    for operand in call.sorted.operands:
        if not operand.text.startswith("+"):
            judge.ask("service", f"{call.title} {operand.source}", call.source)


def mktemp(judge: Judge, call: Call) -> None:
    """`mktemp`: makes a file, by default where temporary files belong."""
    for operand in call.sorted.operands:
        judge.write(operand, call.scope)


def split(judge: Judge, call: Call) -> None:
    """`split FILE PREFIX`: writes files that begin with the prefix."""
    for operand in call.sorted.operands[:1]:
        judge.read(operand, call.scope)
    for operand in call.sorted.operands[1:] or [Arg("x")]:
        judge.write(operand, call.scope)


def getent(judge: Judge, call: Call) -> None:
    """`getent DATABASE`: two of them hold passwords."""
    for operand in call.sorted.operands[:1]:
        if not operand.known or operand.text in {"shadow", "gshadow"}:
            judge.ask("secret", f"{call.title} {operand.source}", call.source)
