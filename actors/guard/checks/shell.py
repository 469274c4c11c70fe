"""What the shell does itself and rows cannot say: setting variables, options, traps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge

_HARMLESS_SET = re.compile(r"[-+][euxvfmbBCEhPTno]+")
_SET_NAMES = frozenset({
    "errexit", "nounset", "xtrace", "verbose", "noglob", "pipefail", "errtrace", "functrace", "noclobber", "monitor", "posix",
    "notify", "hashall", "noexec", "physical", "braceexpand", "emacs", "vi",
})  # fmt: skip
_HARMLESS_SHOPT = frozenset(
    {"nullglob", "globstar", "failglob", "nocaseglob", "lastpipe", "inherit_errexit", "nocasematch"}
)


def read(judge: Judge, call: Call) -> None:
    """`read` and its kin set the variables that they are given."""
    for operand in call.sorted.operands:
        judge.assign(operand, None, call.source)


def getopts(judge: Judge, call: Call) -> None:
    """`getopts OPTIONS NAME` sets the variable."""
    for operand in call.sorted.operands[1:2]:
        judge.assign(operand, None, call.source)


def printf(judge: Judge, call: Call) -> None:
    """`printf -v` sets a variable."""
    if call.args and call.args[0].text.startswith("-v"):
        name = call.args[0].text[2:]
        target = Arg(name) if name else (call.args[1] if len(call.args) > 1 else Arg(""))
        judge.assign(target, None, call.source)
    elif call.args and call.args[0].may_be_option:
        judge.ask("unclear", call.args[0].source, call.source)


def let(judge: Judge, call: Call) -> None:
    """`let` evaluates its arguments."""
    for arg in call.args:
        if not arg.known or "[" in arg.text:
            judge.ask("evaluates", arg.source, call.source)
        elif match := re.match("[A-Za-z_][A-Za-z0-9_]*", arg.text):
            judge.assign(Arg(match.group()), None, call.source)


def test(judge: Judge, call: Call) -> None:
    """`test -v name` evaluates the name's subscript."""
    for arg, following in zip(call.args, call.args[1:], strict=False):
        if (arg.text == "-v" or not arg.exact) and (
            "[" in following.text or (arg.text == "-v" and not following.exact)
        ):
            judge.ask("evaluates", following.source, call.source)


def unset(judge: Judge, call: Call) -> None:
    """`unset` takes a name, whose subscript it evaluates; without a function, its name is a program's again."""
    for arg in call.args:
        if arg.text.startswith("-f") or not arg.known or "[" in arg.text:
            judge.ask("evaluates", arg.source, call.source)
        elif not arg.text.startswith("-"):
            judge.assign(arg, None, call.source)


def declare(judge: Judge, call: Call) -> None:
    """`export` and its kin: assignments were judged as such; here are bare names and options."""
    for arg in call.args:
        if re.fullmatch("-[aAfFglprtux]+", arg.text) and arg.exact:
            continue
        name, equals, value = arg.text.partition("=")
        known = arg.known or bool(equals)
        if not known or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            judge.ask("evaluates", arg.source, call.source)
        elif equals:
            judge.assign(Arg(name), Arg(value, arg.exact), call.source)


def set_(judge: Judge, call: Call) -> None:
    """`set`: switches that only make the shell stricter or louder."""
    for arg in call.args:
        if arg.text == "--" and arg.exact:
            return
        harmless = _HARMLESS_SET.fullmatch(arg.text) or arg.text in _SET_NAMES
        if not (arg.known and harmless):
            judge.ask("flag", f"{call.title} {arg.source}", call.source)


def shopt(judge: Judge, call: Call) -> None:
    """`shopt`: options that only change how patterns match."""
    for arg in call.args:
        if arg.text not in _HARMLESS_SHOPT | {"-s", "-u", "-q", "-p"} or not arg.known:
            judge.ask("flag", f"{call.title} {arg.source}", call.source)


def alias(judge: Judge, call: Call) -> None:
    """`alias name=command` gives a name another meaning."""
    for arg in call.args:
        if "=" in arg.text or not arg.exact:
            judge.ask("dynamic", arg.source, call.source)


def source(judge: Judge, call: Call) -> None:
    """`source`: a script in the shell itself."""
    if call.args:
        judge.file(call.args[0], call.scope)
        judge.script(call.feed, call.scope, call.source)


def trap(judge: Judge, call: Call) -> None:
    """`trap`: its first argument is a command line for later."""
    operands = call.sorted.operands
    if len(operands) > 1 and operands[0].text not in {"", "-"}:
        judge.shell(operands[0], call.scope.fork(), call.source)
