"""The tree of a shell command: what was written, with its quotes removed and nothing expanded.

A word keeps apart what is text and what is not: text is known now, the rest only when the shell runs. Everything that
holds commands (substitutions, function bodies, here-documents that expand) holds them as trees of the same kinds.
"""

from __future__ import annotations

import enum
from typing import TypeAlias

from msgspec import Struct


class Text(Struct, frozen=True):
    """Characters that stand for themselves.

    Args:
        text: the characters, after quote removal.
        quoted: whether quotes or a backslash protect them from splitting, patterns, braces and `~`.
    """

    text: str
    quoted: bool = False


class Variable(Struct, frozen=True):
    """`$name` or `${name...}`.

    Args:
        name: the parameter: a name, a digit or one of `@*#?-$!`.
        quoted: whether it stands in double quotes, so that it stays one word.
        operator: what follows the name inside the braces, such as `:-word` or `[@]`; empty if the value is the variable's.
        words: the words inside the braces, which may hold commands and arithmetic.
        unsafe: whether the expansion itself can run text that a variable holds (`${!x}`, `${x@P}`).
    """

    name: str
    quoted: bool
    operator: str = ""
    words: tuple[Word, ...] = ()
    unsafe: bool = False


class Substitution(Struct, frozen=True):
    """`$(...)`, backquotes, `<(...)` or `>(...)`.

    Args:
        body: what runs inside.
        quoted: whether it stands in double quotes.
        process: whether it is a process substitution, whose value is a file name.
    """

    body: Script
    quoted: bool
    process: bool = False


class Arithmetic(Struct, frozen=True):
    """`$((...))`: a number in the end, but names inside are evaluated again as expressions.

    Args:
        names: the variables that it reads.
        words: the expansions inside.
    """

    names: tuple[str, ...]
    words: tuple[Word, ...] = ()


Part: TypeAlias = Text | Variable | Substitution | Arithmetic


class Word(Struct, frozen=True):
    """One word of a command.

    Args:
        parts: text and expansions, in order.
        source: the word as it was written, for messages.
    """

    parts: tuple[Part, ...]
    source: str = ""

    def literal(self) -> str | None:
        """The text of a word without expansions, None for any other."""
        texts: list[str] = []
        for part in self.parts:
            if not isinstance(part, Text):
                return None
            texts.append(part.text)
        return "".join(texts)

    def bare(self) -> str | None:
        """The text of a word that no quote touched, None for any other: only such a word is a keyword."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Text) and not self.parts[0].quoted:
            return self.parts[0].text
        return None


class Assignment(Struct, frozen=True):
    """`name=value` before a command or alone.

    Args:
        name: the variable.
        values: its value, or an array's elements.
        plain: whether the variable is afterwards exactly one of the values (not `+=`, not an array, no subscript).
        source: as written.
    """

    name: str
    values: tuple[Word, ...]
    plain: bool
    source: str


class Redirect(Struct):
    """A redirection. It alone is not frozen: a here-document's body is read lines after its operator.

    Args:
        operator: such as `>`, `>>`, `<&`, `<<`, `<<<`.
        target: the word behind it; for a here-document the body, of which nothing expands if its delimiter was quoted.
        source: as written.
    """

    operator: str
    target: Word
    source: str


class Simple(Struct, frozen=True):
    """A simple command: assignments, words, redirections.

    Args:
        assignments: the leading `name=value` words.
        words: the program and its arguments; empty if it only assigns or redirects.
        redirects: its redirections, in order.
        source: as written.
    """

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    source: str


class Kind(enum.Enum):
    """What a compound command is, as far as judging it differs."""

    PIPELINE = "pipeline"
    JOINED = "joined"
    CONDITIONAL = "conditional"
    LOOP = "loop"
    GROUP = "group"
    SUBSHELL = "subshell"
    FUNCTION = "function"
    TEST = "test"
    ARITHMETIC = "arithmetic"


class Compound(Struct, frozen=True):
    """A command made of commands.

    Args:
        kind: what it is.
        bodies: the commands inside, in the order in which they were written.
        name: the loop's variable, the function's name, or the operator that joins it to the command before.
        words: the loop's items, the subject and patterns of `case`, the words of `[[ ]]`.
        redirects: redirections of the whole.
        source: as written.
    """

    kind: Kind
    bodies: tuple[Script, ...] = ()
    name: str = ""
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    source: str = ""


Node: TypeAlias = Simple | Compound


class Script(Struct, frozen=True):
    """Commands one after the other.

    Args:
        nodes: the commands; what `&&`, `||` and `&` join is here in the order of writing.
    """

    nodes: tuple[Node, ...] = ()
