"""One program about to run, as the judges see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from placet.actors.guard.arguments import Arg, Arguments
from placet.actors.guard.programs import Program
from placet.actors.guard.scope import Scope
from placet.actors.guard.syntax import Word


class Feed(Struct, frozen=True):
    """What a program reads on standard input, as far as the line says.

    Args:
        body: a here-document or here-string.
        path: a file.
        piped: whether it is another command's output.
    """

    body: Word | None = None
    path: Arg | None = None
    piped: bool = False


NO_FEED = Feed()


class Call(Struct, frozen=True):
    """A program with its arguments.

    Args:
        name: the program, and its subcommands as far as they have rows.
        args: the arguments after the name, unsorted.
        sorted: the same, sorted by the row.
        row: the row.
        scope: what is known where it runs.
        feed: its standard input.
        source: the piece of the line, for messages.
    """

    name: tuple[str, ...]
    args: Sequence[Arg]
    sorted: Arguments
    row: Program
    scope: Scope
    feed: Feed
    source: str

    def inside(self) -> Scope:
        """The scope after options that change the directory."""
        scope = self.scope
        for option in self.sorted.options:
            if option.flag and option.flag.mark == "%" and option.value is not None:
                scope = scope.fork()
                scope.enter(option.value)
        return scope

    @property
    def title(self) -> str:
        """The program's name with its subcommands."""
        return " ".join(self.name)


class Judge(Protocol):
    """What a check may do: say why something is not harmless, and hand on what runs inside."""

    def ask(self, code: str, what: str, part: str) -> None:
        """Give a reason for asking.

        Args:
            code: a key of `reasons.SENTENCES`.
            what: what the reason is about.
            part: the piece of the line that it comes from.
        """

    def read(self, path: Arg, scope: Scope, *, deep: bool = False) -> None:
        """Judge that a path is read; `deep` if everything below it is read too."""

    def write(self, path: Arg, scope: Scope) -> None:
        """Judge that a path is made or changed."""

    def file(self, path: Arg, scope: Scope) -> None:
        """Remember a file whose content decides what the line does."""

    def untouched(self, scope: Scope) -> bool:
        """Whether the line is still where it began and has written nothing there."""
        ...

    def assign(self, name: Arg, value: Arg | None, source: str) -> None:
        """Judge that a variable is set."""

    def forbid(self, argv: Sequence[Arg], source: str) -> None:
        """Apply only the operator's deny rules to what may be a program that runs inside."""

    def run(self, argv: Sequence[Arg], scope: Scope, source: str, feed: Feed = NO_FEED) -> None:
        """Judge a program that runs inside."""

    def shell(self, line: Arg, scope: Scope, source: str) -> None:
        """Judge a line that a shell runs inside."""

    def script(self, feed: Feed, scope: Scope, source: str) -> bool:
        """Judge what a shell reads on standard input; False if it cannot be known."""
        ...
