"""Programs that carry another command in their arguments or input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import UNKNOWN, Arg
from placet.actors.guard.call import Feed
from placet.actors.guard.programs import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.guard.call import Call, Judge

_OPAQUE_WORDS = 32  # more words than such a carrier's own options take
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def _after_assignments(judge: Judge, call: Call, words: Sequence[Arg]) -> Sequence[Arg]:
    """Judge leading `NAME=value` words and give the rest."""
    for index, word in enumerate(words):
        match = _ASSIGNMENT.match(word.text)
        if match is None:
            return words[index:]
        judge.assign(Arg(match.group(1)), Arg(match.group(2), word.exact), call.source)
    return ()


def _inner(judge: Judge, call: Call, words: Sequence[Arg]) -> None:
    if words:
        judge.run(words, call.scope, call.source, call.feed)


def env(judge: Judge, call: Call) -> None:
    """`env`: assignments, then a command; `-S` holds both in one string."""
    scope = call.scope
    for option in call.sorted.options:
        if option.name in {"-S", "--split-string"} and option.value is not None:
            judge.shell(option.value, scope.fork(), call.source)
        elif option.name in {"-C", "--chdir"} and option.value is not None:
            scope = scope.fork()
            scope.enter(option.value)
    words = _after_assignments(judge, call, call.sorted.operands)
    if words:
        judge.run(words, scope, call.source, call.feed)


def sudo(judge: Judge, call: Call) -> None:
    """`sudo`: assignments, then a command."""
    _inner(judge, call, _after_assignments(judge, call, call.sorted.operands))


def su(judge: Judge, call: Call) -> None:
    """`su -c`: a line for a shell."""
    for value in call.sorted.values("-c", "--command", "--session-command"):
        judge.shell(value, call.scope.fork(), call.source)


def opaque(judge: Judge, call: Call) -> None:
    """A carrier whose own options are many and rarely used: every place where its command may begin is judged for the
    operator's rules.
    """
    for index in range(min(len(call.args), _OPAQUE_WORDS)):
        judge.forbid(call.args[index:], call.source)


def project_wrap(judge: Judge, call: Call) -> None:
    """`uv run` and its kin run a program of the project's environment."""
    _inner(judge, call, call.sorted.operands)


def shell(judge: Judge, call: Call) -> None:
    """`sh`: a line (`-c`), a script, or what comes in on standard input."""
    operands = call.sorted.operands
    if call.sorted.has("-n"):
        for operand in operands:
            judge.read(operand, call.scope)
    elif call.sorted.has("-c"):
        if operands:
            judge.shell(operands[0], call.scope.fork(), call.source)
    elif operands and not call.sorted.has("-s"):
        judge.ask("runs_code", f"{call.title} {operands[0].source}", call.source)
        judge.file(operands[0], call.scope)
        judge.script(call.feed, call.scope.fork(), call.source)
    elif not judge.script(call.feed, call.scope.fork(), call.source):
        judge.ask("runs_code", f"what {call.title} reads", call.source)


def foreign_shell(judge: Judge, call: Call) -> None:
    """A shell with another grammar: its line is judged as well as it can be, for the operator's rules."""
    for value in call.sorted.values("-c", "--command"):
        judge.shell(value, call.scope.fork(), call.source)
    for operand in call.sorted.operands[:1]:
        judge.file(operand, call.scope)


def code(judge: Judge, call: Call) -> None:
    """An interpreter: the file that it runs, or the script that it reads."""
    if not call.sorted.has("-c", "-e"):
        for operand in call.sorted.operands[:1]:
            judge.file(operand, call.scope)
    judge.script(Feed(path=call.feed.path, piped=call.feed.piped), call.scope, call.source)


def python(judge: Judge, call: Call) -> None:
    """`python -m`: two modules of the standard library only read. A file in the directory could stand in their place, so
    the line may not have left the workspace (where such a file asks) nor written anything.
    """
    words = [arg.text if arg.known else "" for arg in call.args]
    if words[:2] == ["-m", "json.tool"] and judge.untouched(call.scope):
        operands = [arg for arg in call.args[2:] if not arg.text.startswith("-")]
        for operand in operands[:1]:
            judge.read(operand, call.scope)
        for operand in operands[1:]:
            judge.write(operand, call.scope)
    elif words[:2] == ["-m", "pip"] and judge.untouched(call.scope):
        judge.run([Arg("pip"), *call.args[2:]], call.scope, call.source)
    else:
        judge.ask("runs_code", call.title, call.source)
        code(judge, call)


def find(judge: Judge, call: Call) -> None:
    """`find`: an expression in which some words are commands and some write files."""
    args = list(call.args)
    words = [arg.text for arg in args]
    index = 0
    while index < len(args):
        arg = args[index]
        index += 1
        if not arg.text.startswith("-") or arg.text == "-":
            if arg.may_be_option:
                judge.ask("unclear", arg.source, call.source)
            elif arg.text not in {"(", ")", "!", ","}:
                judge.read(arg, call.scope, deep="-exec" in words or "-execdir" in words)
        elif arg.text in _FIND_RUNS:
            index = _find_exec(judge, call, args, index)
        elif arg.text in _FIND_WRITES:
            if index < len(args):
                judge.write(args[index], call.scope)
            index += 2 if arg.text == "-fprintf" else 1
        elif arg.text == "-delete":
            judge.ask("deletes", "find -delete", call.source)
        elif arg.text in _FIND_VALUES:
            index += 1
        elif not (
            arg.known
            and (arg.text in _FIND_SWITCHES or re.fullmatch("-(O[0-3]|newer[aBcm][aBcmt])", arg.text))
        ):
            judge.ask("unknown_flag", f"find {arg.source}", call.source)


def _find_exec(judge: Judge, call: Call, args: Sequence[Arg], start: int) -> int:
    end = start
    while (
        end < len(args)
        and args[end].text != ";"
        and not (args[end].text == "+" and args[end - 1].text == "{}")
    ):
        end += 1
    found = Arg("./", exact=False, source="{}")
    inner = [found if "{}" in arg.text else arg for arg in args[start:end]]
    if args[start - 1].text in {"-ok", "-okdir"} or not inner:
        judge.ask("interactive", args[start - 1].text, call.source)
    if inner:
        scope = call.scope.elsewhere(None) if args[start - 1].text.endswith("dir") else call.scope
        judge.run(inner, scope.fork(), call.source)
    return end + 1


_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
_FIND_VALUES = words(
    """
    -amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex
    -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf -regex -regextype
    -samefile -size -type -uid -used -user -wholename -xtype -D
    """
)
_FIND_SWITCHES = words(
    """
    -a -and -daystart -depth -empty -executable -false -follow -help -H -L -P -ignore_readdir_race -ls -mount -nogroup
    -noignore_readdir_race -noleaf -nouser -not -nowarn -o -or -print -print0 -prune -quit -readable -true -version
    -warn -writable -xdev
    """
)


def fd(judge: Judge, call: Call) -> None:
    """`fd`: a pattern and directories; its `-x` asks by its row, and the command behind it is judged too."""
    for index, arg in enumerate(call.args):
        if arg.text in {"-x", "--exec", "-X", "--exec-batch"} and call.args[index + 1 :]:
            judge.run(call.args[index + 1 :], call.scope, call.source)
            return
    for operand in call.sorted.operands[1:]:
        judge.read(operand, call.scope)


def xargs(judge: Judge, call: Call) -> None:
    """`xargs`: a command, and further arguments from its input."""
    marks = [value.text for value in call.sorted.values("-I", "--replace", "-J")]
    marks += ["{}"] if call.sorted.has("-i", "--replace") and not marks else []
    inner = list(call.sorted.operands)
    if not inner:
        return
    if marks:
        inner = [_filled(arg, marks[-1]) for arg in inner]
    else:
        inner.append(Arg(UNKNOWN.text, exact=False, many=True, source="what xargs reads"))
    judge.run(inner, call.scope.fork(), call.source)


def _filled(arg: Arg, mark: str) -> Arg:
    start, found, _ = arg.text.partition(mark)
    return Arg(start, exact=False, source=arg.source) if found and mark else arg


def parallel(judge: Judge, call: Call) -> None:
    """`parallel`: its words are a line for a shell, with an argument from its input each time."""
    words = list(call.sorted.operands)
    for index, word in enumerate(words):
        if re.fullmatch(":::+[+]?", word.text):
            words = words[:index]
            break
        if word.text.startswith("::::"):
            judge.ask("dynamic", word.source, call.source)
    if not words:
        judge.ask("dynamic", call.title, call.source)
        return
    line = " ".join(re.sub(r"\{[^\s{}]*\}", "$1", word.text) for word in words)
    filled = line if "$1" in line else f"{line} $1"
    judge.shell(
        Arg(filled, all(word.known for word in words), source=call.source), call.scope.fork(), call.source
    )


def ssh(judge: Judge, call: Call) -> None:
    """`ssh`: the words behind the machine's name are a line for a shell there."""
    line = call.sorted.operands[1:]
    if line:
        text = " ".join(arg.text for arg in line)
        judge.shell(
            Arg(text, all(arg.known for arg in line), source=call.source),
            call.scope.elsewhere(None),
            call.source,
        )


def docker_run(judge: Judge, call: Call) -> None:
    """`docker run`: the words behind the image are a command in the container."""
    inner = call.sorted.operands[1:]
    if inner:
        judge.run(inner, call.scope.elsewhere(None), call.source)


def kubectl_exec(judge: Judge, call: Call) -> None:
    """`kubectl exec`: the command behind `--` runs elsewhere."""
    ended = call.sorted.ended
    inner = call.sorted.operands[ended if ended is not None else 1 :]
    if inner:
        judge.run(inner, call.scope.elsewhere(None), call.source)


def script(judge: Judge, call: Call) -> None:
    """`script`: records a terminal; `-c` is a line for a shell."""
    lines = call.sorted.values("-c", "--command")
    for value in lines:
        judge.shell(value, call.scope.fork(), call.source)
    for operand in call.sorted.operands:
        judge.write(operand, call.scope)
    if not lines:
        judge.ask("interactive", call.title, call.source)


def flock(judge: Judge, call: Call) -> None:
    """`flock FILE command`, or `-c` and a line for a shell."""
    operands = call.sorted.operands
    for value in call.sorted.values("-c", "--command"):
        judge.shell(value, call.scope.fork(), call.source)
    if operands:
        if not operands[0].text.isdigit():
            judge.write(operands[0], call.scope)
        rest = operands[1:]
        if rest and rest[0].text in {"-c", "--command"}:
            judge.shell(rest[1] if len(rest) > 1 else Arg(""), call.scope.fork(), call.source)
        else:
            _inner(judge, call, rest)


def make(judge: Judge, call: Call) -> None:
    """`make` runs what its makefile says, also for a dry run."""
    given = call.sorted.values("-f", "--file", "--makefile")
    for path in given or [Arg("GNUmakefile"), Arg("makefile"), Arg("Makefile")]:
        judge.file(path, call.inside())
