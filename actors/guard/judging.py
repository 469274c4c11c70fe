"""Judging one program: its name, the operator's rules, its row, its arguments."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg, sort_arguments
from placet.actors.guard.call import Call, Feed
from placet.actors.guard.checks import CHECKS
from placet.actors.guard.tables import CATALOGUE
from placet.actors.guard.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.guard.programs import Program
    from placet.actors.guard.scope import Scope
    from placet.actors.guard.walk import Walker

_SYSTEM_PROGRAM = re.compile(r"(/usr(/local)?)?/s?bin/([^/]+)\Z|/opt/homebrew/bin/([^/]+)\Z")
_GIT_PROGRAM = re.compile(r"(?:(?:/usr)?/(?:lib|libexec)/git-core/|)git-([a-z-]+)\Z")
_HELP = frozenset({"--help", "--version"})
_INFORMATION = frozenset({"-h", "-v", "-V", "-help", "-version", "--info"})
# With the last two a word and a path follow the option, so that the first operand may be that path.
_GIVES_PATTERN = ("-e", "-f", "--regexp", "--file", "--files", "--rawfile", "--slurpfile")
_RUNS_OTHERS = frozenset({"wrap", "shell"})


def judge_program(walker: Walker, argv: Sequence[Arg], scope: Scope, feed: Feed, source: str) -> None:
    """Judge one program with its arguments.

    Args:
        walker: collects the reasons.
        argv: the program and its arguments after expansion.
        scope: what is known where it runs.
        feed: its standard input.
        source: the piece of the line, for messages.
    """
    first = argv[0]
    if not first.known or first.many or not first.text:
        walker.ask("dynamic", first.source, source)
        return
    name, before = resolved(first.text)
    args = [*before, *argv[1:]]
    if _by_rule(walker, posixpath.basename(name), args, scope, source):
        return
    if name in scope.defining:
        walker.ask("endless", first.text, source)
    row = CATALOGUE.find((name,))
    if row is not None:
        _by_row(walker, (name,), row, args, scope, feed, source)
        return
    _protect(walker, args, scope)
    if "/" in name:
        walker.ask("runs_code", first.text, source)
        walker.file(first, scope)
    elif name not in scope.functions:
        walker.ask("unknown_program", first.text, source)


def resolved(text: str) -> tuple[str, list[Arg]]:
    """A program's name without the directory, if that is one in which the system keeps its own, and arguments that the name
    implies: `git-reset` is `git reset`.
    """
    if match := _GIT_PROGRAM.match(text):
        return "git", [Arg(match.group(1), source=match.group(1))]
    if match := _SYSTEM_PROGRAM.match(text):
        return match.group(3) or match.group(4), []
    return text, []


def _by_rule(walker: Walker, program: str, args: Sequence[Arg], scope: Scope, source: str) -> bool:
    """Apply the operator's rules; whether they have decided."""
    for rule in walker.policy.deny:
        covered = rule.covers(program, args)
        if covered is not False:
            walker.ask("rule", rule.meaning, source, Verdict.DENY if covered else Verdict.ASK)
            return bool(covered)
    for rule in walker.policy.ask:
        if rule.covers(program, args) is not False:
            walker.ask("rule", rule.meaning, source)
            return False
    if scope.directories != (walker.directory,):
        return False
    return any(rule.covers(program, args) for rule in walker.policy.allow)


def forbid(walker: Walker, argv: Sequence[Arg], source: str) -> None:
    """Apply only the deny rules to what may be a program.

    Args:
        walker: collects the reasons.
        argv: the program, perhaps, and what follows it.
        source: the piece of the line, for messages.
    """
    program = posixpath.basename(resolved(argv[0].text)[0])
    for rule in walker.policy.deny:
        if argv[0].known and rule.covers(program, argv[1:]):
            walker.ask("rule", rule.meaning, source, Verdict.DENY)


def _protect(walker: Walker, args: Sequence[Arg], scope: Scope) -> None:
    """Refuse that any argument names one of Placet's own places."""
    for arg in args:
        for text in (arg.text, arg.text.partition("=")[2]):
            if text.startswith(("/", ".")) or "/" in text:
                path = Arg(text, arg.exact, arg.glob, source=arg.source)
                walker.protect(path, scope)
        if any(place in arg.text for place in walker.places.protected):
            walker.ask("protected", arg.source, arg.source, Verdict.DENY)


def _by_row(
    walker: Walker,
    name: tuple[str, ...],
    row: Program,
    args: list[Arg],
    scope: Scope,
    feed: Feed,
    source: str,
) -> None:
    if row.mode == "as":
        *first, last = row.argument.split()
        name, row = (*first, last), CATALOGUE.rows[*first, last]
    if _only_help(name, row, args):
        return
    call = Call(name, args, sort_arguments(row, args), row, scope, feed, source)
    if row.mode not in {"run", "pattern"} and row.mode not in _RUNS_OTHERS:
        _protect(walker, args, scope)
    if not _options(walker, call):
        _MODES[row.mode](walker, call)


def _only_help(name: tuple[str, ...], row: Program, args: Sequence[Arg]) -> bool:
    """Whether the arguments only ask for help, the version, or something that the row calls harmless alone."""
    if name[0] == "gh" and len(args) > 1 and args[-1].text == "--help" and not args[-2].text.startswith("-"):
        return True  # its options may stand anywhere
    if len(args) != 1 or not args[0].known:
        return False
    text = args[0].text
    flag = row.flags.get(text.partition(":")[0])  # `perl -V:name`
    if flag is not None and (flag.mark or flag.code):
        return flag.mark in {"=", "~"} or (
            text == "-h" and flag.takes_value
        )  # without its value it prints the usage
    if text in _HELP:
        return True
    return len(name) > 1 and (text in {"-h", "-help"} or (text == "help" and name[0] == "aws"))


def _options(walker: Walker, call: Call) -> bool:
    """Judge the options; whether one of them makes the program only print something."""
    informational = False
    listed = True
    for option in call.sorted.options:
        flag, value = option.flag, option.value
        if flag is None:
            listed = False
            if call.row.closed or (call.row.mode in {"menu", "sub"} and "=" in option.source):
                walker.ask("unknown_flag", f"{call.title} {option.name}", call.source)
            continue
        if flag.code:
            walker.ask(flag.code, f"{call.title} {option.name}", call.source)
        if flag.mark == "~":
            informational = informational or not option.after
        elif value is not None:
            _value(walker, call, flag.mark, value)
    if call.row.guarded:
        for arg in call.sorted.unclear:
            walker.ask("unclear", arg.source, call.source)
    return informational and listed and not call.sorted.unclear


def _value(walker: Walker, call: Call, mark: str, value: Arg) -> None:
    if mark == "<":
        walker.read(value, call.scope)
    elif mark == ">" and value.text.startswith(("|", "!")):
        walker.ask("runs", value.source, call.source)
    elif mark == ">" and value.text != "-":
        walker.write(value, call.scope)
    elif mark == "$":
        walker.shell(value, call.scope.fork(), call.source)


# How operands are used


def _run(walker: Walker, call: Call) -> None:
    pass


def _none(walker: Walker, call: Call) -> None:
    if call.sorted.operands:
        walker.ask("flag", f"{call.title} {call.sorted.operands[0].source}", call.source)


def _reads(walker: Walker, call: Call) -> None:
    scope = call.inside()
    for operand in call.sorted.operands:
        walker.read(operand, scope, deep=_deep(call))


def _pattern(walker: Walker, call: Call) -> None:
    given = call.sorted.has(*_GIVES_PATTERN)
    operands = call.sorted.operands[0 if given else 1 :]
    for operand in operands or ([Arg(".")] if _deep(call) else []):
        walker.read(operand, call.scope, deep=_deep(call))


def _writes(walker: Walker, call: Call) -> None:
    for operand in call.sorted.operands:
        walker.write(operand, call.scope)


def _deep(call: Call) -> bool:
    return call.name[0] in {"rg", "ag"} or call.sorted.has("-r", "-R", "-a", "--recursive", "--archive")


def _copies(walker: Walker, call: Call) -> None:
    operands = call.sorted.operands
    into = call.sorted.values("-t", "--target-directory")
    targets, sources = (into[:1], operands) if into else (operands[-1:], operands[:-1])
    for operand in sources:
        walker.read(operand, call.scope, deep=_deep(call))
    if any(operand.text in {"/dev/null", "/dev/zero"} for operand in sources):
        walker.ask("overwrites", call.title, call.source)
    for target in targets:
        walker.write(target, call.scope)
        for operand in sources:
            _into(walker, call, target, operand)


def _into(walker: Walker, call: Call, target: Arg, operand: Arg) -> None:
    """The target may be a directory: then what is written is the source's name in it."""
    name = posixpath.basename(operand.text.rstrip("/"))
    if name and target.exact and operand.exact:
        inside = Arg(posixpath.join(target.text, name), glob=target.glob or operand.glob, source=call.source)
        walker.write(inside, call.scope)


def _moves(walker: Walker, call: Call) -> None:
    _copies(walker, call)
    _writes(walker, call)
    for target in call.sorted.values("-t", "--target-directory") or call.sorted.operands[-1:]:
        walker.keep(target, call.scope)


def _check(walker: Walker, call: Call) -> None:
    if call.row.check:
        CHECKS[call.row.check](walker, call)


def _enters(_walker: Walker, call: Call) -> None:
    target = next(iter(call.sorted.operands), Arg(call.scope.home if call.name == ("cd",) else "+"))
    if target.text.startswith("+") and call.name != ("cd",):
        call.scope.settle()  # another entry of the stack: some directory that the line was in before
    else:
        call.scope.enter(target)


def _ask(walker: Walker, call: Call) -> None:
    walker.ask(call.row.argument, call.title, call.source)
    _check(walker, call)
    for name in call.row.files:
        if name == "@":
            for operand in call.sorted.operands:
                walker.file(operand, call.inside())
        else:
            walker.file(Arg(name), call.inside())


def _sub(walker: Walker, call: Call) -> None:
    _check(walker, call)
    operands = call.sorted.operands
    if not operands:
        given = [option.name for option in call.sorted.options if option.flag is None]
        if call.row.mode == "sub" or not _INFORMATION.union(_HELP).issuperset(given):
            walker.ask("flag", call.title, call.source)
        return
    name = (*call.name, operands[0].text)
    row = CATALOGUE.find(name) if operands[0].known else None
    if row is None and not _only_help(name, call.row, operands[1:]):
        walker.ask("flag", " ".join(name), call.source)
    elif row is None:
        return
    else:
        _by_row(walker, name, row, operands[1:], call.inside(), call.feed, call.source)


def _wrap(walker: Walker, call: Call) -> None:
    count, _, code = call.row.argument.partition(" ")
    inner = call.sorted.operands[int(count or 0) :]
    scope = call.scope.elsewhere(None) if code == "elsewhere" else call.inside()
    if code and code != "elsewhere":
        walker.ask(code, call.title, call.source)
    if inner:
        walker.run(inner, scope, call.source, call.feed)


def _shell(walker: Walker, call: Call) -> None:
    operands = call.sorted.operands
    if operands:
        text = " ".join(operand.text for operand in operands)
        line = Arg(text, all(operand.known for operand in operands), source=call.source)
        walker.shell(line, call.scope, call.source)


_MODES = {
    "run": _run, "none": _none, "reads": _reads, "lists": _run, "pattern": _pattern, "writes": _writes, "copies": _copies,
    "moves": _moves, "enters": _enters, "ask": _ask, "check": _check, "menu": _sub, "sub": _sub, "wrap": _wrap, "shell": _shell,
}  # fmt: skip
