"""Reading one word of a shell command: quotes, escapes, expansions.

What bash and this reader could see differently is refused as `Unparsed`, never guessed: the caller then asks a person.
That holds for a line continuation inside an expansion, for quotes inside a quoted `${...}`, for a zero byte, for nesting
beyond `DEPTH_LIMIT`. Every character is read once, so time is linear in the length.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from placet.actors.guard.syntax import Arithmetic, Part, Script, Substitution, Text, Variable, Word

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

DEPTH_LIMIT = 40  # people nest three or four levels; each level costs a few stack frames
BLANK = " \t"
META = " \t\n;&|<>()"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_SHORT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_PLAIN_QUOTED = re.compile(r"[^\"\\$`]+")
_PLAIN_BRACED = re.compile(r"[^'\"\\$`{}]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARITHMETIC = re.compile(r"[A-Za-z0-9_ \t\n+\-*/%<>=!&|^~?:,#.]+")
_KEYS = frozenset({"[@]", "[*]", "@", "*"})  # after `!`: the keys of an array, the names that begin so
_SUBSCRIPT = re.compile(r"\[(@|\*|[0-9]+)\]")
_QUOTED_ANSI = re.compile(r"\$'[^'$`\"{}]*'")
_ANSI = re.compile(
    r"[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|c.|[abeEfnrtv\\'\"?]", re.DOTALL
)
_ANSI_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip


class Unparsed(Exception):
    """The text is no shell command that this reader understands for certain. It never leaves the package."""


class Scanner(ABC):
    """A cursor over the text that reads words; `parse.Parser` adds the grammar.

    Args:
        text: the command.
        depth: how deeply this text is nested in another.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth

    @abstractmethod
    def script_in_parentheses(self) -> Script:
        """Read commands up to the `)` that closes them, and that too."""

    @abstractmethod
    def nested(self, text: str) -> Script:
        """Read a whole text as commands, one level deeper."""

    def peek(self, text: str) -> bool:
        """Whether the text comes next."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Read the text if it comes next."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def word(self) -> Word:
        """Read the word at the cursor, which stands at neither a blank nor an operator (but maybe at `<(`)."""
        start = self.at
        parts: list[Part] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "<>" and self.text.startswith("(", self.at + 1):
                self.at += 2
                parts.append(
                    Substitution(self.deeper(self.script_in_parentheses), quoted=False, process=True)
                )
            elif char in META:
                break
            else:
                self._part(parts)
        return Word(merged(parts), self.text[start : self.at])

    def deeper(self, read: Callable[[], T]) -> T:
        """Call a reader one level deeper, within the limit."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise Unparsed("it is nested too deeply")
        result = read()
        self.depth -= 1
        return result

    def rest_as_quoted(self) -> tuple[Part, ...]:
        """Read the rest of the text as the body of a here-document that expands."""
        parts: list[Part] = []
        self._double_quoted(parts, None)
        return merged(parts)

    def _part(self, parts: list[Part]) -> None:
        """Read one unquoted part of a word."""
        char = self.text[self.at]
        if char == "'":
            end = self._find("'", self.at + 1)
            parts.append(Text(self.text[self.at + 1 : end], quoted=True))
            self.at = end + 1
        elif char == '"':
            self.at += 1
            self._double_quoted(parts, '"')
        elif char == "\\":
            self._escape(parts)
        elif char == "$":
            self._dollar(parts, quoted=False)
        elif char == "`":
            self._backquoted(parts, quoted=False)
        else:
            self._run(_PLAIN, parts, quoted=False)

    def _run(self, pattern: re.Pattern[str], parts: list[Part], *, quoted: bool) -> None:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise Unparsed(f"{self.text[self.at]!r} is not understood here")
        parts.append(Text(match.group(), quoted))
        self.at = match.end()

    def _find(self, closer: str, start: int) -> int:
        end = self.text.find(closer, start)
        if end < 0:
            raise Unparsed("a quote is not closed")
        return end

    def _escape(self, parts: list[Part]) -> None:
        if self.at + 1 >= len(self.text):
            raise Unparsed("it ends in a backslash")
        char = self.text[self.at + 1]
        self.at += 2
        if char != "\n":
            parts.append(Text(char, quoted=True))

    def _double_quoted(self, parts: list[Part], closer: str | None) -> None:
        """Read up to the closing quote, or, as the body of a here-document, up to the end of the text."""
        parts.append(Text("", quoted=True))
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == closer:
                self.at += 1
                return
            if char == "\\":
                self._quoted_escape(parts, closer)
            elif char == "$":
                self._dollar(parts, quoted=True)
            elif char == "`":
                self._backquoted(parts, quoted=True)
            elif char == '"':
                parts.append(Text(char, quoted=True))
                self.at += 1
            else:
                self._run(_PLAIN_QUOTED, parts, quoted=True)
        if closer is not None:
            raise Unparsed("a quote is not closed")

    def _quoted_escape(self, parts: list[Part], closer: str | None) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "\n":
            self.at += 2
        elif following and following in "$`\\" + (closer or ""):
            parts.append(Text(following, quoted=True))
            self.at += 2
        else:
            parts.append(Text("\\", quoted=True))
            self.at += 1

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        """Read what `$` begins."""
        self.at += 1
        if self.peek("\\\n"):
            raise Unparsed("a line continuation hides an expansion")
        if self.peek("(("):
            parts.append(self.deeper(self.arithmetic))
        elif self.take("("):
            parts.append(Substitution(self.deeper(self.script_in_parentheses), quoted))
        elif self.take("{"):
            parts.append(self.deeper(lambda: self._braced(quoted=quoted)))
        elif self.take("["):
            raise Unparsed("$[...] is not understood")
        elif not quoted and self.take("'"):
            self._ansi(parts)
        elif not quoted and self.take('"'):
            self._double_quoted(parts, '"')
        elif match := _SHORT_NAME.match(self.text, self.at):
            self.at = match.end()
            if self.peek("\\\n"):
                raise Unparsed("a line continuation hides an expansion")
            parts.append(Variable(match.group(), quoted))
        else:
            parts.append(Text("$", quoted=True))

    def _ansi(self, parts: list[Part]) -> None:
        """Read the rest of `$'...'`."""
        chars: list[str] = []
        while not self.take("'"):
            if self.at >= len(self.text):
                raise Unparsed("a quote is not closed")
            if not self.take("\\"):
                chars.append(self.text[self.at])
                self.at += 1
                continue
            match = _ANSI.match(self.text, self.at)
            chars.append(_ansi_character(match.group()) if match else "\\")
            self.at = match.end() if match else self.at
        parts.append(Text("".join(chars), quoted=True))

    def _backquoted(self, parts: list[Part], *, quoted: bool) -> None:
        chars: list[str] = []
        self.at += 1
        while not self.take("`"):
            if self.at >= len(self.text):
                raise Unparsed("a backquote is not closed")
            if self.peek("\\") and self.text[self.at + 1 : self.at + 2] in {
                "`",
                "\\",
                "$",
                '"' if quoted else "`",
            }:
                self.at += 1
            chars.append(self.text[self.at : self.at + 1])
            self.at += 1
        parts.append(Substitution(self.nested("".join(chars)), quoted))

    def arithmetic(self, *, loop: bool = False) -> Arithmetic:
        """Read `((...))` at the cursor: names, numbers and operators, nothing that could be a command."""
        self.at += 2
        names: list[str] = []
        parts: list[Part] = []
        level = 0
        while level or not self.take("))"):
            if self.take("("):
                level += 1
            elif level and self.take(")"):
                level -= 1
            elif self.peek("$"):
                self._dollar(parts, quoted=True)
            elif loop and self.take(";"):
                continue
            elif match := _ARITHMETIC.match(self.text, self.at):
                names += _IDENTIFIER.findall(match.group())
                self.at = match.end()
            else:
                raise Unparsed("the arithmetic is not understood")
        return Arithmetic(tuple(names), (Word(tuple(parts)),) if parts else ())

    def _braced(self, *, quoted: bool) -> Variable:
        """Read the rest of `${...}`."""
        length = self.peek("#") and not self.peek("#}") and not self.peek("#:") and self.take("#")
        indirect = self.take("!")
        match = _NAME.match(self.text, self.at)
        if match is None:
            raise Unparsed("the expansion is not understood")
        self.at = match.end()
        name = match.group()
        parts: list[Part] = []
        element = _SUBSCRIPT.match(self.text, self.at)
        if element:
            self.at = element.end()
        elif self.take("["):
            self._braced_text(parts, "]", quoted=True)
        self._braced_text(parts, "}", quoted=quoted)
        operator = self.text[match.end() : self.at - 1]
        if (operator[:1] == "[" and not element) or (operator[:1] == ":" and operator[1:2] not in "-=?+"):
            parts.append(Arithmetic(tuple(_IDENTIFIER.findall(operator))))
        return Variable(
            name,
            quoted,
            "#" if length else operator,
            (Word(merged(parts)),) if parts else (),
            unsafe=(indirect and operator not in _KEYS) or (operator.startswith("@") and "P" in operator),
        )

    def _braced_text(self, parts: list[Part], closer: str, *, quoted: bool) -> None:
        while not self.take(closer):
            if self.at >= len(self.text):
                raise Unparsed("an expansion is not closed")
            char = self.text[self.at]
            if quoted and (match := _QUOTED_ANSI.match(self.text, self.at)):
                self.at = match.end()
            elif char == "$":
                self._dollar(parts, quoted=quoted)
            elif char == "`":
                self._backquoted(parts, quoted=quoted)
            elif char == '"':
                self.at += 1
                self._double_quoted(parts, '"')
            elif char in "\\'{" and (quoted or self.peek("\\\n") or char == "{"):
                raise Unparsed("quotes inside an expansion are not understood")
            elif char in "\\'":
                self._part(parts)
            elif closer == "]":
                self._run(_ARITHMETIC, parts, quoted=quoted)
            else:
                self._run(_PLAIN_BRACED, parts, quoted=quoted)


def _ansi_character(escape: str) -> str:
    head = escape[0]
    if head in "01234567":
        code = int(escape, 8) & 0xFF
    elif head in "xuU":
        code = int(escape[1:], 16)
    elif head == "c":
        code = ord(escape[1]) & 0x1F
    else:
        return _ANSI_LETTERS.get(head, head)
    if not 0 < code < 0x110000 or (head == "x" and code > 127) or (head in "01234567" and code > 127):
        raise Unparsed("a quoted byte is not a character")
    return chr(code)


def merged(parts: list[Part]) -> tuple[Part, ...]:
    """The same parts, with neighbouring text of one kind joined.

    Args:
        parts: the parts of a word, in order.
    """
    result: list[Part] = []
    run: list[str] = []
    quoted: bool | None = None
    for part in [*parts, None]:
        if isinstance(part, Text) and part.quoted is quoted:
            run.append(part.text)
            continue
        if quoted is not None:
            result.append(Text("".join(run), quoted))
        run, quoted = ([part.text], part.quoted) if isinstance(part, Text) else ([], None)
        if part is not None and not isinstance(part, Text):
            result.append(part)
    return tuple(result)
