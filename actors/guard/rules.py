"""The operator's rules: deny beats ask beats allow.

A rule is written like a command and matched against what would run, not against the text: the resolved program and its
arguments, wherever in the line they stand.

* `deny` and `ask`: every word of the rule must be there, in any order and among others. `sudo` means any use of sudo.
* `allow`: exactly these arguments, in this order. `*` inside a word stands for any text, as the last word for any arguments.
* A rule with more than one command covers the line that is written exactly so, and none of its parts.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from placet.actors.guard.parse import parse
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.syntax import Simple, Text, Word
from placet.actors.protocol.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.guard.arguments import Arg


class Rule(Struct, frozen=True):
    """One rule of the operator.

    Args:
        text: the rule as it was written.
        action: `deny`, `ask` or `allow`.
        program: the program that it is about; empty for a rule about a whole line.
        words: the program's arguments, as regular expressions.
        rest: whether any further arguments may follow.
    """

    text: str
    action: str
    program: str
    words: tuple[str, ...] = ()
    rest: bool = False

    @property
    def meaning(self) -> str:
        """What the rule covers, in a sentence."""
        if not self.program:
            return f"{self.action} the line {self.text!r}, written exactly so"
        if self.action == "allow":
            return f"allow {self.text.removesuffix(' *')!r}" + (
                " with any arguments" if self.rest else " and nothing more"
            )
        where = "under any path, behind any wrapper, in any substitution"
        return (
            f"{self.action} the program {self.program!r} "
            + (f"when given {self.text!r}, " if self.words else "")
            + where
        )

    def covers_line(self, command: str) -> bool:
        """Whether this is a rule about a whole line, and about this one.

        Args:
            command: the command line.
        """
        return not self.program and command.strip() == self.text.strip()

    def covers(self, program: str, args: Sequence[Arg]) -> bool | None:
        """Whether the rule covers a program with these arguments; None if that depends on what is not known.

        Args:
            program: the program's name, without its directory.
            args: its arguments.
        """
        if program != self.program:
            return False
        if self.action == "allow":
            return self._covers_exactly(args)
        given = [text for arg in args if arg.exact for text in _spellings(arg.text)]
        if all(any(re.fullmatch(word, text, re.DOTALL) for text in given) for word in self.words):
            return True
        return None if any(not arg.known for arg in args) else False

    def _covers_exactly(self, args: Sequence[Arg]) -> bool:
        if len(args) < len(self.words) or (len(args) > len(self.words) and not self.rest):
            return False
        if any(not arg.known for arg in args):
            return False
        return all(
            re.fullmatch(word, arg.text, re.DOTALL) for word, arg in zip(self.words, args, strict=False)
        )


def _spellings(text: str) -> list[str]:
    """The forms in which a rule may name an argument: `-rf` is also `-r` and `-f`, `--to=x` also `--to`."""
    if text.startswith("--"):
        return [text, text.partition("=")[0]]
    if re.fullmatch("-[A-Za-z]{2,}", text):
        return [text, *("-" + letter for letter in text[1:])]
    return [text]


def parse_rule(text: str, action: str) -> Rule:
    """Read one rule.

    Args:
        text: the rule, written like a command.
        action: `deny`, `ask` or `allow`.

    Raises:
        InvalidInput: it is no command, or names no program; the message names the rule.
    """
    try:
        nodes = parse(text).nodes
    except Unparsed as error:
        raise InvalidInput(
            f"the {action} rule {text!r} cannot be read: {error}", param=f"guard.{action}"
        ) from None
    if not nodes:
        raise InvalidInput(f"the {action} rule {text!r} names no program", param=f"guard.{action}")
    node = nodes[0]
    if len(nodes) > 1 or not isinstance(node, Simple) or node.assignments or node.redirects:
        return Rule(text, action, "")
    program = node.words[0].literal()
    if not program or "*" in program:
        raise InvalidInput(
            f"the {action} rule {text!r} must begin with a program's name", param=f"guard.{action}"
        )
    words = list(node.words[1:])
    rest = bool(words) and words[-1].bare() == "*"
    patterns = tuple(_pattern(word, text, action) for word in (words[:-1] if rest else words))
    return Rule(text, action, posixpath.basename(program), patterns, rest)


def _pattern(word: Word, text: str, action: str) -> str:
    pieces: list[str] = []
    for part in word.parts:
        if not isinstance(part, Text):
            raise InvalidInput(f"the {action} rule {text!r} holds an expansion", param=f"guard.{action}")
        pieces.append(re.escape(part.text) if part.quoted else re.escape(part.text).replace("\\*", ".*"))
    return "".join(pieces)
