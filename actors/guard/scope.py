"""What is known at a point of a command line: directories, variables, functions.

Knowledge is kept on the safe side instead of following control flow. A variable has every value that the whole line gives it
anywhere; one that the line does not set is the environment's and unknown (but `HOME` and `PWD`). After a `cd`, what `&&`
joins to it runs in the new directory, and everything later in any directory entered so far, since the `cd` may have failed.
So branches, loops and their order need no analysis.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard import paths
from placet.actors.guard.arguments import UNKNOWN, Arg
from placet.actors.guard.syntax import Arithmetic, Compound, Kind, Simple, Substitution, Variable, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placet.actors.guard.syntax import Node, Script

VALUES_LIMIT = 8  # possible values of one variable; beyond, it is unknown
LENGTH_LIMIT = 8_192  # characters of one value: variables that double each other would grow without end
DIRECTORIES_LIMIT = 8  # directories that a line may be in at once
NUMBER = Arg("0*", glob=True)  # some digits: a name without a slash that is no option
_NUMBER_WORD = Word((Arithmetic(()),))
_NUMERIC = frozenset("?#$!")
_ASSIGNING = frozenset(
    {"read", "mapfile", "readarray", "getopts", "let", "printf", "wait", "unset", "coproc"}
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Scope:
    """Knowledge at one point.

    Args:
        home: the home directory.
        directories: the directories in which the next command may run; None if unknown.
        sources: what the whole line assigns to each variable; None stands for a value that cannot be known.
    """

    def __init__(
        self,
        home: str,
        directories: tuple[str, ...] | None,
        sources: dict[str, list[Word | None]] | None = None,
    ) -> None:
        self.home = home
        self.directories = directories
        self.visited = directories
        self.sources = {} if sources is None else sources
        self.seen: set[str] = set()
        self.functions: set[str] = set()
        self.defining: frozenset[str] = frozenset()
        self._open: set[str] = set()

    def fork(self) -> Scope:
        """A copy for a subshell: what changes in it stays in it."""
        copy = Scope(self.home, self.directories, self.sources)
        copy.visited = self.visited
        copy.seen = set(self.seen)
        copy.functions = set(self.functions)
        copy.defining = self.defining
        return copy

    def elsewhere(self, directories: tuple[str, ...] | None) -> Scope:
        """A copy that runs in other directories.

        Args:
            directories: those, or None if they cannot be known (another machine, a container).
        """
        copy = self.fork()
        copy.directories = copy.visited = directories
        return copy

    def enter(self, target: Arg) -> None:
        """Follow a `cd` that succeeds; `settle` tells what is known where it may have failed.

        Args:
            target: its operand.
        """
        if self.directories is None or not target.exact or target.glob or target.text == "-":
            self.directories = self.visited = None
            return
        self.directories = tuple(
            dict.fromkeys(paths.absolute(target.text, place) for place in self.directories)
        )
        if self.visited is not None:
            visited = dict.fromkeys([*self.visited, *self.directories])
            self.visited = tuple(visited) if len(visited) <= DIRECTORIES_LIMIT else None

    def settle(self) -> None:
        """Go on where it is not known which `cd` has succeeded: in any directory that the line has entered so far."""
        self.directories = self.visited

    def learn(self, script: Script) -> None:
        """Collect what a whole script assigns, before it is judged.

        Args:
            script: the script.
        """
        for name, word in _assignments(script):
            known = self.sources.setdefault(name, [])
            if len(known) <= VALUES_LIMIT and word not in known:
                known.append(word)

    def note(self, node: Node) -> None:
        """Remember that the variables which a command sets are set from here on.

        Args:
            node: the command.
        """
        own = list(_of_simple(node)) if isinstance(node, Simple) else list(_of_loop(node))
        words = (
            [*node.words, *(v for a in node.assignments for v in a.values)]
            if isinstance(node, Simple)
            else node.words
        )
        self.seen.update(name for name, _ in own)
        self.seen.update(name for word in words for name, _ in _of_word(word))

    def value(self, name: str) -> tuple[Arg, ...]:
        """The possible values of a variable.

        Args:
            name: its name.
        """
        if name in _NUMERIC:
            return (NUMBER,)
        if name not in self.sources:
            return self._inherited(name)
        if name not in self.seen or name in self._open:
            return (UNKNOWN,)
        self._open.add(name)
        values = dict.fromkeys(value for word in self.sources[name] for value in self._assigned(word))
        self._open.discard(name)
        unknown = (
            len(values) > VALUES_LIMIT or UNKNOWN in values or any(len(v.text) > LENGTH_LIMIT for v in values)
        )
        return (UNKNOWN,) if unknown else tuple(values)

    def _inherited(self, name: str) -> tuple[Arg, ...]:
        if name == "HOME":
            return (Arg(self.home),)
        if name == "PWD" and self.directories is not None:
            return tuple(Arg(directory) for directory in self.directories)
        return (UNKNOWN,)

    def _assigned(self, word: Word | None) -> tuple[Arg, ...]:
        from placet.actors.guard.expand import assigned_values

        return (UNKNOWN,) if word is None else assigned_values(word, self)


def _assignments(script: Script) -> Iterator[tuple[str, Word | None]]:
    """Every assignment in a script, with None where the value cannot be known."""
    for node in _nodes(script):
        if isinstance(node, Simple):
            yield from _of_simple(node)
            words = [
                *node.words,
                *(r.target for r in node.redirects),
                *(v for a in node.assignments for v in a.values),
            ]
        else:
            yield from _of_loop(node)
            words = [*node.words, *(r.target for r in node.redirects)]
        for word in words:
            yield from _of_word(word)


def _of_loop(node: Compound) -> Iterator[tuple[str, Word | None]]:
    if node.kind is Kind.LOOP and node.name:
        for word in node.words:
            yield node.name, word if word.parts else None


def _nodes(script: Script) -> Iterator[Node]:
    stack = list(reversed(script.nodes))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Compound):
            for body in reversed(node.bodies):
                stack.extend(reversed(body.nodes))


def _of_simple(node: Simple) -> Iterator[tuple[str, Word | None]]:
    for assignment in node.assignments:
        yield assignment.name, assignment.values[0] if assignment.plain else None
    literals = [word.literal() or "" for word in node.words]
    if _ASSIGNING.intersection(literals):
        for text in literals:
            if _IDENTIFIER.match(text):
                yield text, None


def _of_word(word: Word) -> Iterator[tuple[str, Word | None]]:
    for part in word.parts:
        if isinstance(part, Variable):
            if part.operator.startswith(("=", ":=")):
                yield part.name, None
            for inner in part.words:
                yield from _of_word(inner)
        elif isinstance(part, Substitution):
            yield from _assignments(part.body)
        elif isinstance(part, Arithmetic):
            for name in part.names:
                yield name, _NUMBER_WORD
            for inner in part.words:
                yield from _of_word(inner)
