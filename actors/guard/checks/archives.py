"""Archivers: listing and packing run, unpacking asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg
from placet.actors.guard.programs import words

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge
    from placet.actors.guard.scope import Scope

_TAR_HARMLESS = words(
    """
    --list --create --gzip --bzip2 --xz --zstd --lzma --verbose --totals --exclude --exclude-vcs --exclude-from
    --strip-components --wildcards --no-recursion --dereference --sort --mtime --owner --group --numeric-owner --file
    --directory --auto-compress --to-stdout --full-time --one-file-system --anchored --no-anchored --ignore-case
    --gunzip --get --extract --transform --format --posix --null --no-same-owner --utc --block-number --absolute-names
    --files-from
    """
)
_TAR_LETTERS = frozenset("cdtxvzjJafCOXTpPhnkwmlSWi")
_TAR_VALUES = frozenset("fCXTbNgKVLH")


_TAR_MODES = {"--list": {"t"}, "--create": {"c"}, "--extract": {"x"}, "--get": {"x"}, "--to-stdout": {"O"}}


def tar(judge: Judge, call: Call) -> None:
    """`tar`, whose first word may be its options without a dash."""
    args = list(call.args)
    if args and args[0].exact and not args[0].text.startswith("-"):
        args[0] = Arg("-" + args[0].text, source=args[0].source)
    words = TarWords(judge, call, args)
    for archive in words.archives:
        if not archive.exact or ":" in archive.text:
            judge.ask("remote", f"{call.title} {archive.source}", call.source)
        elif words.mode & {"c", "r", "u"} and archive.text != "-":
            judge.write(archive, call.scope)
        elif archive.text != "-":
            judge.read(archive, call.scope)
    for operand, scope in words.operands:
        if operand.may_be_option:
            judge.ask("unclear", operand.source, call.source)
        elif "c" in words.mode:
            judge.read(operand, scope, deep=True)
    if not words.mode & {"t", "c", "d"} and not {"x", "O"} <= words.mode:
        judge.ask("overwrites", call.title, call.source)


class TarWords:
    """The words of a `tar` call, sorted; options that are not known to be harmless ask.

    Args:
        judge: collects the reasons.
        call: the call.
        args: its words, the first with a dash.
    """

    def __init__(self, judge: Judge, call: Call, args: list[Arg]) -> None:
        self._judge = judge
        self._call = call
        self._scope = call.scope
        self._queue = list(reversed(args))
        self.mode: set[str] = set()
        self.archives: list[Arg] = []
        self.operands: list[tuple[Arg, Scope]] = []
        while self._queue:
            self._take(self._queue.pop())

    def _take(self, arg: Arg) -> None:
        if arg.text.startswith("--"):
            self._long(arg)
        elif arg.text.startswith("-") and arg.text != "-":
            self._letters(arg)
        else:
            self.operands.append((arg, self._scope))

    def _next(self) -> Arg:
        return self._queue.pop() if self._queue else Arg("")

    def _long(self, arg: Arg) -> None:
        name, equals, rest = arg.text.partition("=")
        if name not in _TAR_HARMLESS or not (arg.exact or equals):
            self._judge.ask("flag", f"{self._call.title} {arg.source}", self._call.source)
        self.mode |= _TAR_MODES.get(name, set())
        if name in {"--file", "--directory"}:
            self._value(name[2], Arg(rest, arg.exact, source=arg.source) if equals else self._next())

    def _letters(self, arg: Arg) -> None:
        self.mode |= set(arg.text[1:])
        for index, letter in enumerate(arg.text[1:], 1):
            if letter not in _TAR_LETTERS or not arg.exact:
                self._judge.ask("flag", f"{self._call.title} {arg.source}", self._call.source)
            if letter not in _TAR_VALUES:
                continue
            rest = arg.text[index + 1 :]
            bundled = index > 1 and bool(self._queue) and _TAR_LETTERS.issuperset(rest)
            self._value(letter, Arg(rest, source=arg.source) if rest and not bundled else self._next())
            if rest and not bundled:
                return

    def _value(self, letter: str, value: Arg) -> None:
        if letter == "f":
            self.archives.append(value)
        elif letter in "Cd":  # `-C`, `--directory`: where the operands behind it lie
            self._scope = self._scope.fork()
            self._scope.enter(value)
            if not value.exact:
                self._judge.ask("unclear", value.source, self._call.source)


def zip_(judge: Judge, call: Call) -> None:
    """`zip ARCHIVE FILES`: writes the archive; testing may run a command, moving deletes."""
    for arg in call.args:
        if re.match(r"-\w*[TmdU]|--(test|unzip-command|move|delete)|-TT|-d", arg.text) or arg.may_be_option:
            judge.ask("flag", f"{call.title} {arg.source}", call.source)
    for operand in call.sorted.operands[:1]:
        judge.write(operand, call.scope)
    for operand in call.sorted.operands[1:]:
        judge.read(operand, call.scope, deep=call.sorted.has("-r", "--recurse-paths"))


def unzip(judge: Judge, call: Call) -> None:
    """`unzip`: only listing, testing and printing."""
    if call.name[0] != "zipinfo" and not call.sorted.has("-l", "-t", "-p", "-v", "-Z", "-z", "-c"):
        judge.ask("overwrites", call.title, call.source)
    for operand in call.sorted.operands[:1]:
        judge.read(operand, call.scope)


def seven_zip(judge: Judge, call: Call) -> None:
    """`7z`: only listing and testing."""
    if not call.args or call.args[0].text not in {"l", "t", "i", "h"}:
        judge.ask("overwrites", call.title, call.source)


def compress(judge: Judge, call: Call) -> None:
    """`gzip` and its kin put a file in place of another, unless they keep it or only print."""
    keeps = call.sorted.has("-k", "--keep", "-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
    if (
        call.sorted.operands
        and not keeps
        and call.name[0] not in {"zstd", "unzstd", "lz4", "unlz4", "brotli"}
    ):
        judge.ask("overwrites", call.title, call.source)
    if call.name == ("brotli",) and call.sorted.has("-j"):
        judge.ask("deletes", call.title, call.source)
    if call.sorted.has("--rm", "-f", "--force", "-r", "--recursive"):
        judge.ask("overwrites", call.title, call.source)
    prints = call.sorted.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test")
    for operand in call.sorted.operands:
        judge.read(operand, call.scope) if prints else judge.write(operand, call.scope)


def jar(judge: Judge, call: Call) -> None:
    """`jar`: only listing."""
    if not call.args or not call.args[0].text.lstrip("-").startswith(("t", "-list")):
        judge.ask("overwrites", call.title, call.source)
