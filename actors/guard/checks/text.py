"""Text tools whose arguments are little programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from placet.actors.guard.call import Call, Judge

_ADDRESS = re.compile(r"[0-9]+(~[0-9]+)?|\$|[+~][0-9]+")
_AWK_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*") | (?P<name>[A-Za-z_]\w*) | (?P<number>[0-9.]+) | (?P<comment>\#[^\n]*)
      | (?P<op>\|\||&&|>=|>>|\|&|[-+*%^=<!~]=|\+\+|--|[\s\S])""",
    re.VERBOSE,
)


def scripts_and_operands(call: Call) -> tuple[list[Arg], Sequence[Arg]]:
    """The programs that a call gives, and the operands after them."""
    scripts = call.sorted.values("-e", "--expression", "--source")
    files = call.sorted.values("-f", "--file")
    if scripts or files:
        return scripts, call.sorted.operands
    return call.sorted.operands[:1], call.sorted.operands[1:]


def sed(judge: Judge, call: Call) -> None:
    """`sed`: its script may run commands and write files; with `-i` it changes its operands."""
    scripts, operands = scripts_and_operands(call)
    _script_files(judge, call)
    for script in scripts:
        try:
            effects = list(SedScript(script.text).effects()) if script.exact else [("e", "")]
        except ValueError:
            effects = [("e", "")]
        for effect, path in effects:
            _effect(judge, call, script, effect, path)
    in_place = call.sorted.has("-i", "--in-place")
    for suffix in call.sorted.values("-i", "--in-place"):
        if not suffix.exact or "/" in suffix.text:
            judge.ask("unknown_target", suffix.source, call.source)
    for operand in operands:
        judge.write(operand, call.scope) if in_place else judge.read(operand, call.scope)


def _script_files(judge: Judge, call: Call) -> None:
    for file in call.sorted.values("-f", "--file"):
        judge.ask("runs_code", f"{call.title} -f {file.source}", call.source)
        judge.file(file, call.scope)


def _effect(judge: Judge, call: Call, script: Arg, effect: str, path: str) -> None:
    target = Arg(path, source=path)
    if effect == "e":
        judge.ask("runs", f"the script {script.source}", call.source)
    elif effect == "r":
        judge.read(target, call.scope)
    else:
        judge.write(target, call.scope)


class SedScript:
    """A reader of sed's language, as far as it must be read to know which files and commands it touches.

    Args:
        text: the script.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def effects(self) -> Iterator[tuple[str, str]]:
        """Every file that is read (`r`) or written (`w`) and every command that is run (`e`), with the file's name.

        Raises:
            ValueError: the script is not understood.
        """
        while True:
            self._skip(" \t\n;")
            if self.at >= len(self.text):
                return
            self._addresses()
            if self.at >= len(self.text):
                raise ValueError
            yield from self._command(self._next())

    def _next(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += 1
        return char

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _addresses(self) -> None:
        for _ in range(2):
            self._skip(" \t")
            if self.text.startswith("/", self.at):
                self.at += 1
                self._until("/")
            elif self.text.startswith("\\", self.at):
                self.at += 2
                self._until(self.text[self.at - 1 : self.at])
            elif match := _ADDRESS.match(self.text, self.at):
                self.at = match.end()
            self._skip("IM \t")
            if not self.text.startswith(",", self.at):
                break
            self.at += 1
        self._skip(" \t!")

    def _until(self, closer: str) -> None:
        """Read up to an unescaped delimiter and past it; one inside brackets counts as delimiter too, so refuse it."""
        bracket = False
        while self.at < len(self.text):
            char = self._next()
            if char == "\\":
                self.at += 1
            elif char == closer:
                if bracket:
                    raise ValueError
                return
            elif char == "[":
                bracket = True
            elif char == "]":
                bracket = False
        raise ValueError

    def _line(self) -> str:
        end = self.text.find("\n", self.at)
        end = end if end >= 0 else len(self.text)
        line = self.text[self.at : end].strip()
        self.at = end
        return line

    def _command(self, command: str) -> Iterator[tuple[str, str]]:
        if command in "{}=dDgGhHnNpPxzF":
            return
        if command in "lqQL":
            self._skip(" \t0123456789")
        elif command in "btT:":
            while self.at < len(self.text) and self.text[self.at] not in ";\n}":
                self.at += 1
        elif command in "aic":
            line = self._line()
            while line.endswith("\\") and self.at < len(self.text):
                self.at += 1
                line = self._line()
        elif command == "s":
            yield from self._substitute()
        elif command == "y":
            delimiter = self._next()
            self._until(delimiter)
            self._until(delimiter)
        elif command in "rRwWe":
            yield command.lower(), self._line()
        else:
            raise ValueError

    def _substitute(self) -> Iterator[tuple[str, str]]:
        delimiter = self._next()
        if delimiter in {"", "\n", "\\"}:
            raise ValueError
        self._until(delimiter)
        self._until(delimiter)
        while self.at < len(self.text) and (char := self.text[self.at]) not in ";\n} \t#":
            self.at += 1
            if char == "e":
                yield "e", ""
            elif char == "w":
                yield "w", self._line()
            elif char not in "gpiImM0123456789":
                raise ValueError


def awk(judge: Judge, call: Call) -> None:
    """`awk`: its program may run commands and write files."""
    scripts, operands = scripts_and_operands(call)
    _script_files(judge, call)
    for script in scripts:
        for effect, path in awk_effects(script.text) if script.exact else [("e", "")]:
            _effect(judge, call, script, effect, path)
    for operand in operands:
        judge.read(operand, call.scope)


def awk_effects(text: str) -> Iterator[tuple[str, str]]:
    """What an awk program does beyond printing: files that it writes (`w`), and anything else that asks (`e`).

    Args:
        text: the program.
    """
    tokens = list(_awk_tokens(text))
    printing: int | None = None  # the depth of parentheses at which a print statement began
    depth = 0
    for index, (kind, token) in enumerate(tokens):
        if kind == "name":
            if token in {"system", "getline", "fflush", "close"} or tokens[index - 1 : index] == [
                ("op", "@")
            ]:
                yield "e", ""
            printing = depth if token in {"print", "printf"} else printing
        elif kind == "op":
            depth += {"(": 1, ")": -1}.get(token, 0)
            if token in {";", "}", "{", "\n"}:
                printing = None
            elif token in {"|", "|&", "@"}:
                yield "e", ""
            elif token in {">", ">>"} and printing is not None and depth <= printing:
                after = [*tokens[index + 1 : index + 3], ("op", ";")]
                if after[0][0] == "string" and after[1] in {("op", ";"), ("op", "}"), ("op", "\n")}:
                    yield "w", after[0][1][1:-1]
                else:
                    yield "e", ""


def _awk_tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    value = False  # whether the last token was a value, so that a slash divides
    while at < len(text):
        if text[at] == "/" and not value:
            at = _after_regex(text, at + 1)
            yield "regex", ""
            value = True
            continue
        match = _AWK_TOKEN.match(text, at)
        if match is None:
            return
        at = match.end()
        kind, token = match.lastgroup or "op", match.group()
        if token not in {" ", "\t"} and kind != "comment":
            value = (
                kind in {"string", "number"}
                or token in {")", "]", "$"}
                or (kind == "name" and token not in _AWK_WORDS)
            )
            yield kind, token


_AWK_WORDS = frozenset({"print", "printf", "return", "in", "if", "while", "else", "do", "case", "exit"})


def _after_regex(text: str, at: int) -> int:
    bracket = False
    while at < len(text) and (text[at] != "/" or bracket):
        if text[at] == "\\":
            at += 1
        elif text[at] == "[":
            bracket = True
        elif text[at] == "]":
            bracket = False
        at += 1
    return at + 1


def calculator(judge: Judge, call: Call) -> None:
    """`bc` and `dc`: `dc` has a command that runs a line (`!`), `bc` none."""
    for operand in call.sorted.operands:
        judge.read(operand, call.scope)
    text = call.feed.body.literal() if call.feed.body else None
    scripts = [
        *call.sorted.operands,
        *(value for value in call.sorted.values("-e") if "!" in value.text or not value.known),
    ]
    if call.name == ("dc",) and (
        scripts or call.feed.piped or call.feed.path or (text is not None and "!" in text)
    ):
        judge.ask("runs", call.title, call.source)


def yq(judge: Judge, call: Call) -> None:
    """`yq`: reads, and with `-i` changes, its operands; its expression may read further files."""
    for expression in call.sorted.operands[:1]:
        for path in re.findall(r"\bload\w*\(\s*\"([^\"]*)", expression.text):
            judge.read(Arg(path, source=expression.source), call.scope)
    for operand in call.sorted.operands[1:]:
        judge.write(operand, call.scope) if call.sorted.has("-i", "--inplace") else judge.read(
            operand, call.scope
        )


def in_and_out(judge: Judge, call: Call) -> None:
    """`uniq` and `xxd`: the first operand is read, the second written."""
    for operand in call.sorted.operands[:1]:
        judge.read(operand, call.scope)
    for operand in call.sorted.operands[1:]:
        judge.write(operand, call.scope)
