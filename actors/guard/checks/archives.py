"""Archivers: listing and packing run, unpacking asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg
from placet.actors.guard.programs import words

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge

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


def tar(judge: Judge, call: Call) -> None:
    """`tar`, whose first word may be its options without a dash."""
    args = list(call.args)
    if args and args[0].exact and not args[0].text.startswith("-"):
        args[0] = Arg("-" + args[0].text, source=args[0].source)
    mode, archives, operands = _tar_words(judge, call, args)
    for archive in archives:
        if not archive.exact or ":" in archive.text:
            judge.ask("remote", f"{call.title} {archive.source}", call.source)
        elif mode & {"c", "r", "u"} and archive.text != "-":
            judge.write(archive, call.scope)
        elif archive.text != "-":
            judge.read(archive, call.scope)
    for operand in operands:
        if operand.may_be_option:
            judge.ask("unclear", operand.source, call.source)
        elif "c" in mode:
            judge.read(operand, call.scope)
    if not mode & {"t", "c", "d"} and not {"x", "O"} <= mode:
        judge.ask("overwrites", call.title, call.source)


def _tar_words(judge: Judge, call: Call, args: list[Arg]) -> tuple[set[str], list[Arg], list[Arg]]:
    """The modes, the archives and the operands; options that are not known to be harmless ask."""
    mode: set[str] = set()
    archives: list[Arg] = []
    operands: list[Arg] = []
    queue = list(reversed(args))
    while queue:
        arg = queue.pop()
        if arg.text.startswith("--"):
            name, equals, value = arg.text.partition("=")
            if name not in _TAR_HARMLESS or not (arg.exact or equals):
                judge.ask("flag", f"{call.title} {arg.source}", call.source)
            mode |= {
                "--list": {"t"},
                "--create": {"c"},
                "--extract": {"x"},
                "--get": {"x"},
                "--to-stdout": {"O"},
            }.get(name, set())
            if name in {"--file", "--directory"} and not equals and queue:
                value = queue.pop().text
            if name == "--file":
                archives.append(Arg(value, arg.exact, source=arg.source))
        elif arg.text.startswith("-") and arg.text != "-":
            mode |= set(arg.text[1:])
            _tar_letters(judge, call, arg, queue, archives)
        else:
            operands.append(arg)
    return mode, archives, operands


def _tar_letters(judge: Judge, call: Call, arg: Arg, queue: list[Arg], archives: list[Arg]) -> None:
    for index, letter in enumerate(arg.text[1:], 1):
        if letter not in _TAR_LETTERS or not arg.exact:
            judge.ask("flag", f"{call.title} {arg.source}", call.source)
        if letter in _TAR_VALUES:
            rest = arg.text[index + 1 :]
            bundled = (
                re.fullmatch("[a-zA-Z]*", rest) and index > 1 and rest and set(rest) <= _TAR_LETTERS and queue
            )
            value = (
                Arg(rest, source=arg.source) if rest and not bundled else (queue.pop() if queue else Arg(""))
            )
            if letter == "f":
                archives.append(value)
            elif letter == "C" and not value.exact:
                judge.ask("unclear", value.source, call.source)
            if rest and not bundled:
                return


def zip_(judge: Judge, call: Call) -> None:
    """`zip ARCHIVE FILES`: writes the archive; testing may run a command, moving deletes."""
    for arg in call.args:
        if re.match(r"-\w*[TmdU]|--(test|unzip-command|move|delete)|-TT|-d", arg.text) or arg.may_be_option:
            judge.ask("flag", f"{call.title} {arg.source}", call.source)
    for operand in call.sorted.operands[:1]:
        judge.write(operand, call.scope)
    for operand in call.sorted.operands[1:]:
        judge.read(operand, call.scope)


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
