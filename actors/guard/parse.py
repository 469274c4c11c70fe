"""The grammar of bash, as far as it can be read for certain.

`parse` gives the tree of a command line or raises `Unparsed`. It is a descent by hand and not a generated parser, because
a guard needs three promises that error-tolerant parsers do not make: what bash would run is in the tree (a here-document's
backquotes, a name cut by a line continuation), what is not understood is refused instead of repaired, and time is linear
in the input, whatever the input is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.pieces import REDIRECT, Pieces
from placet.actors.guard.scan import META, Unparsed
from placet.actors.guard.syntax import (
    Assignment,
    Compound,
    Kind,
    Node,
    Redirect,
    Script,
    Simple,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYWORD = re.compile(r"(?:[^ \t\n;&|<>()'\"\\$`]|\\\n){0,24}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SEPARATOR = re.compile(r"&&|\|\||&(?!>)|;|\n")
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "in"})
_DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})


def parse(text: str, depth: int = 0) -> Script:
    """Read a whole command line.

    Args:
        text: the command, as it would be passed to `bash -c`.
        depth: how many command lines it is nested in.

    Raises:
        Unparsed: it is no command line, or one that is not understood for certain.
    """
    if "\0" in text:
        raise Unparsed("it holds a zero byte")
    parser = Parser(text, depth)
    script = parser.script()
    if parser.at < len(text):
        raise Unparsed(f"{text[parser.at]!r} is not understood here")
    return script


class Parser(Pieces):
    """The grammar over `Pieces`; each rule of it is one method.

    Args:
        text: the command.
        depth: how deeply this text is nested in another.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self._compounds: dict[str, Callable[[], Compound]] = {
            "{": self._group,
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "[[": self._test,
            "function": self._function,
        }

    def script_in_parentheses(self) -> Script:
        """Read commands up to the `)` that closes them, and that too."""
        script = self.script()
        self._closed()
        return script

    def nested(self, text: str) -> Script:
        """Read a whole text as commands, one level deeper."""
        return self.deeper(lambda: parse(text, self.depth))

    # Lists and pipelines

    def script(self) -> Script:
        """Read commands until the end, a `)`, a `;;` or a closing keyword."""
        nodes: list[Node] = []
        joined = ""
        while True:
            self.space(newlines=True)
            if self._ends():
                break
            node = self._pipeline()
            nodes.append(
                Compound(Kind.JOINED, (Script((node,)),), joined, source=node.source) if joined else node
            )
            joined = ""
            self.space()
            match = _SEPARATOR.match(self.text, self.at)
            if match is None or self.peek(";;") or self.peek(";&"):
                break
            joined = match.group() if match.group() in {"&&", "||"} else ""
            if match.group() != "\n":  # _space reads newlines: it knows of here-documents
                self.at = match.end()
        if joined or (self.pending and self.at >= len(self.text)):
            raise Unparsed("a command or a here-document's body is missing")
        return Script(tuple(nodes))

    def _ends(self) -> bool:
        return self.at >= len(self.text) or self.text[self.at] in ");" or self._keyword() in _CLOSING

    def _keyword(self) -> str:
        """The bare word at the cursor, which is not read; empty if it is quoted or long."""
        match = _KEYWORD.match(self.text, self.at)
        end = match.end() if match else self.at
        if match is None or (end < len(self.text) and self.text[end] not in META):
            return ""
        return match.group().replace("\\\n", "")

    def _take_keyword(self, *keywords: str) -> bool:
        if self._keyword() not in keywords:
            return False
        self.word()
        return True

    def _expect(self, keyword: str) -> None:
        self.space(newlines=True)
        if not self._take_keyword(keyword):
            raise Unparsed(f"{keyword!r} is missing")

    def _pipeline(self) -> Node:
        start = self.at
        while self._take_keyword("!", "time", "coproc"):
            self.space()
            if self._take_keyword("-p"):
                self.space()
        stages = [self._command()]
        self.space()
        while self.peek("|") and not self.peek("||"):
            self.at += 2 if self.peek("|&") else 1
            self.space(newlines=True)
            stages.append(self._command())
            self.space()
        if len(stages) == 1:
            return stages[0]
        return Compound(Kind.PIPELINE, tuple(Script((s,)) for s in stages), source=self.text[start : self.at])

    def _command(self) -> Node:
        start = self.at
        if self.peek("(("):
            arithmetic = self.arithmetic()
            node = Compound(Kind.ARITHMETIC, words=(Word((arithmetic,), self.text[start : self.at]),))
        elif self.take("("):
            node = Compound(Kind.SUBSHELL, (self._in_parentheses(),))
        elif read := self._compounds.get(self._keyword()):
            self.word()
            node = read()
        else:
            return self._simple()
        redirects = self.redirects()
        return Compound(node.kind, node.bodies, node.name, node.words, redirects, self.text[start : self.at])

    def _deep_script(self) -> Script:
        script = self.deeper(self.script)
        if not script.nodes:
            raise Unparsed("a command is missing")
        return script

    def _closed(self) -> None:
        if not self.take(")"):
            raise Unparsed("a parenthesis is not closed")

    def _in_parentheses(self) -> Script:
        script = self._deep_script()
        self._closed()
        return script

    # Compound commands: the opening keyword has been read

    def _group(self) -> Compound:
        body = self._deep_script()
        self._expect("}")
        return Compound(Kind.GROUP, (body,))

    def _if(self) -> Compound:
        bodies = [self._deep_script()]
        self._expect("then")
        bodies.append(self._deep_script())
        while self._take_keyword("elif"):
            bodies.append(self._deep_script())
            self._expect("then")
            bodies.append(self._deep_script())
        if self._take_keyword("else"):
            bodies.append(self._deep_script())
        self._expect("fi")
        return Compound(Kind.CONDITIONAL, tuple(bodies))

    def _while(self) -> Compound:
        condition = self._deep_script()
        return Compound(Kind.LOOP, (condition, self._do_group()))

    def _do_group(self) -> Script:
        self._expect("do")
        body = self._deep_script()
        self._expect("done")
        return body

    def _for(self) -> Compound:
        self.space()
        if self.peek("(("):
            words = [Word((self.arithmetic(loop=True),))]
            return Compound(Kind.LOOP, (self._loop_body(),), words=tuple(words))
        name = self._keyword()
        if not _NAME.match(name):
            raise Unparsed("the loop's variable is not understood")
        self.word()
        self.space(newlines=True)
        words = [Word((), "$@")]
        if self._take_keyword("in"):
            words = self.words()
        return Compound(Kind.LOOP, (self._loop_body(),), name, tuple(words))

    def _loop_body(self) -> Script:
        self.space(newlines=True)
        self.take(";")
        return self._do_group()

    def _case(self) -> Compound:
        self.space()
        words = [self.word()]
        self._expect("in")
        bodies: list[Script] = []
        self.space(newlines=True)
        while not self._take_keyword("esac"):
            self._pattern(words)
            bodies.append(self.deeper(self.script))
            self.space(newlines=True)
            ended = self.take(";;&") or self.take(";;") or self.take(";&")
            self.space(newlines=True)
            if not ended and self._keyword() != "esac":
                raise Unparsed("the case is not understood")
        return Compound(Kind.CONDITIONAL, tuple(bodies), words=tuple(words))

    def _pattern(self, words: list[Word]) -> None:
        self.take("(")
        while True:
            self.space()
            pattern = self.word()
            if not pattern.source:
                raise Unparsed("the pattern is not understood")
            words.append(pattern)
            self.space()
            if self.take(")"):
                return
            if not self.take("|"):
                raise Unparsed("the pattern is not understood")

    def _test(self) -> Compound:
        words: list[Word] = []
        while True:
            self.space(newlines=True)
            if self.at >= len(self.text):
                raise Unparsed("a test is not closed")
            if self._take_keyword("]]"):
                return Compound(Kind.TEST, words=tuple(words))
            if self.at_operator():
                self.at += 1
            else:
                words.append(self.word())

    def _function(self) -> Compound:
        self.space()
        name = self.word().bare()
        self.space()
        if self.take("("):
            self.space()
            self._closed()
        return self._body_of(name)

    def _body_of(self, name: str | None) -> Compound:
        self.space(newlines=True)
        if not name or not (self.peek("(") or self._keyword() in self._compounds):
            raise Unparsed("the function is not understood")
        return Compound(Kind.FUNCTION, (Script((self.deeper(self._command),)),), name)

    # Simple commands

    def _simple(self) -> Node:
        start = self.at
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        end = start
        while True:
            if REDIRECT.match(self.text, self.at):
                redirects.append(self.redirect())
            elif self.at_operator():
                break
            elif not words or words[0].literal() in _DECLARING:
                if assignment := self.assignment():
                    assignments.append(assignment)
                else:
                    words.append(self.word())
            else:
                words.append(self.word())
            end = self.at
            self.space()
        if self.peek("(") and len(words) == 1 and not assignments and not redirects:
            self.at += 1
            self.space()
            self._closed()
            return self._body_of(words[0].bare())
        if self.at == start:
            raise Unparsed(f"{self.text[self.at : self.at + 1]!r} is not understood here")
        return Simple(tuple(assignments), tuple(words), tuple(redirects), self.text[start:end])
