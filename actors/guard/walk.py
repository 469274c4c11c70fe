"""The walk over a command's tree: every command, in every position, with what is known where it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard import paths
from placet.actors.guard.arguments import Arg
from placet.actors.guard.call import NO_FEED, Feed
from placet.actors.guard.environment import steers
from placet.actors.guard.expand import choices, counts, expand
from placet.actors.guard.judging import forbid, judge_program
from placet.actors.guard.parse import parse
from placet.actors.guard.paths import absolute
from placet.actors.guard.reasons import SENTENCES
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.syntax import Arithmetic, Compound, Kind, Simple, Substitution, Variable, Word
from placet.actors.guard.tables.places import DEVICES
from placet.actors.guard.verdict import Reason, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.guard.paths import Places
    from placet.actors.guard.policy import Policy
    from placet.actors.guard.scope import Scope
    from placet.actors.guard.syntax import Assignment, Node, Redirect, Script

DEPTH_LIMIT = 12  # wrappers and shells within each other; people nest two or three
WORK_LIMIT = 60_000  # programs judged for one line, more than its length allows unless alternatives multiply
READING = frozenset({"<", "<>"})
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[0-9@*]*\])?\Z")
_COMPARES = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"})


class TooMuch(Exception):
    """The line is nested too deeply or multiplies too often to be judged. It never leaves the package."""


class Walker:
    """Collects the reasons against running a line.

    Args:
        policy: the operator's rules.
        places: the paths that matter.
        directory: the directory in which the line starts.
    """

    def __init__(self, policy: Policy, places: Places, directory: str) -> None:
        self.policy = policy
        self.places = places
        self.directory = directory
        self._told: dict[tuple[str, str, str, Verdict], None] = {}
        self.files: dict[str, None] = {}
        self._depth = 0
        self._work = 0
        self._wrote = False
        self._recent: list[tuple[Arg, Scope]] = []  # what the current pipeline has read so far

    # What checks may do

    def ask(self, code: str, what: str, part: str, verdict: Verdict = Verdict.ASK) -> None:
        """Give a reason for asking, or with another verdict for refusing."""
        self._told[code, what, part, verdict] = None

    def file(self, path: Arg, scope: Scope) -> None:
        """Remember a file whose content decides what the line does."""
        if not path.exact or path.text in {"", "-"}:
            return
        for directory in scope.directories or ("",):
            place = absolute(path.text, directory) if directory else path.text
            inside = self.directory.rstrip("/") + "/"
            self.files[place.removeprefix(inside)] = None

    def read(self, path: Arg, scope: Scope, *, deep: bool = False) -> None:
        """Judge that a path is read; `deep` if everything below it is read too."""
        self._place(path, scope, writes=False)
        self._recent.append((path, scope))
        if not deep:
            return
        for directory in scope.directories or ("/",):
            place = absolute(path.text, directory)
            if self.places.holds_protected(place):
                self.ask("protected", path.source, path.source)
            if self.places.holds_home(place):
                self.ask("secret", path.source, path.source)

    def write(self, path: Arg, scope: Scope) -> None:
        """Judge that a path is made or changed."""
        if not path.exact or (scope.directories is None and not path.text.startswith("/")):
            self.ask("unknown_target", path.source, path.source)
        else:
            self._place(path, scope, writes=True)

    def _place(self, path: Arg, scope: Scope, *, writes: bool) -> None:
        for directory in scope.directories or ("/",):
            place = absolute(path.text, directory)
            code = self.places.written(place) if writes else self.places.read(place)
            self._wrote = self._wrote or (writes and place not in DEVICES)
            if code == "protected":
                self.ask(code, path.source, path.source, Verdict.DENY)
            elif code:
                self.ask(code, path.source or path.text, path.source)

    def protect(self, path: Arg, scope: Scope) -> None:
        """Refuse a path that is one of Placet's own."""
        for directory in scope.directories or ("/",):
            if self.places.is_protected(absolute(path.text, directory)):
                self.ask("protected", path.source, path.source, Verdict.DENY)

    def keep(self, path: Arg, scope: Scope) -> None:
        """Judge that something is moved to a path: out of the working directory it is as good as gone."""
        for directory in scope.directories or ("/",):
            if not paths.inside(absolute(path.text, directory), self.directory):
                self.ask("deletes", f"moving to {path.source}", path.source)

    def untouched(self, scope: Scope) -> bool:
        """Whether the line is still where it began and has written nothing there."""
        return not self._wrote and scope.directories == (self.directory,)

    def forbid(self, argv: Sequence[Arg], source: str) -> None:
        """Apply only the operator's deny rules to what may be a program that runs inside."""
        forbid(self, argv, source)

    def assign(self, name: Arg, value: Arg | None, source: str) -> None:
        """Judge that a variable is set."""
        if not name.known or not _IDENTIFIER.match(name.text):
            self.ask("evaluates", name.source or "a variable's name", source)
        elif steers(name.text.partition("[")[0], value.text if value and value.known else None):
            self.ask("environment", name.text, source)

    def run(self, argv: Sequence[Arg], scope: Scope, source: str, feed: Feed = NO_FEED) -> None:
        """Judge a program that runs inside."""
        self._work += 1
        self._depth += 1
        if self._depth > DEPTH_LIMIT or self._work > WORK_LIMIT:
            raise TooMuch
        judge_program(self, argv, scope, feed, source)
        self._depth -= 1

    def shell(self, line: Arg, scope: Scope, source: str) -> None:
        """Judge a line that a shell runs inside."""
        if not line.exact:
            self.ask("dynamic", source, source)
            return
        self._work += 1 + len(line.text) // 64
        self._depth += 1
        if self._depth > DEPTH_LIMIT or self._work > WORK_LIMIT:
            raise TooMuch
        try:
            script = parse(line.text, self._depth)
        except Unparsed as error:
            self.ask("syntax", str(error), source)
        else:
            scope.learn(script)
            self.walk(script, scope)
        self._depth -= 1

    def script(self, feed: Feed, scope: Scope, source: str) -> bool:
        """Judge what a shell reads on standard input; False if it cannot be known."""
        if feed.path is not None:
            self.file(feed.path, scope)
        if feed.piped:
            for path, place in self._recent:
                self.file(path, place)
        text = feed.body.literal() if feed.body is not None else None
        if text is None:
            return False
        self.shell(Arg(text, source=source), scope, source)
        return True

    def reasons(self) -> list[Reason]:
        """The reasons found, in order, each once."""
        return [
            Reason(code, SENTENCES[code].format(what=what), part, v) for code, what, part, v in self._told
        ]

    # The tree

    def walk(self, script: Script, scope: Scope) -> None:
        """Judge a script.

        Args:
            script: the script.
            scope: what is known where it begins; what it learns stays in it.
        """
        self._nodes(script, scope, NO_FEED)

    def _nodes(self, script: Script, scope: Scope, feed: Feed) -> None:
        for node in script.nodes:
            if not (isinstance(node, Compound) and node.kind is Kind.JOINED and node.name == "&&"):
                scope.settle()
            self._node(node, scope, feed)

    def _node(self, node: Node, scope: Scope, feed: Feed) -> None:
        if isinstance(node, Simple):
            self._simple(node, scope, feed)
        else:
            self._compound(node, scope, feed)

    def _compound(self, node: Compound, scope: Scope, feed: Feed) -> None:
        scope.note(node)
        self._expansions(node.words, scope)
        feed = self._redirects(node.redirects, scope, feed)
        if node.kind is Kind.LOOP and node.name:
            self.assign(Arg(node.name), None, node.source)
        elif node.kind is Kind.TEST:
            self._test(node, scope)
        if node.kind is Kind.PIPELINE:
            self._recent = []
        if node.kind is Kind.FUNCTION:
            scope.defining = scope.defining | {node.name}
        inner = scope.fork() if node.kind in {Kind.SUBSHELL, Kind.FUNCTION, Kind.PIPELINE} else scope
        functions = set(scope.functions)
        for index, body in enumerate(node.bodies):
            stage = Feed(piped=True) if node.kind is Kind.PIPELINE and index else feed
            if node.kind is Kind.JOINED:
                self._node(body.nodes[0], inner, stage)
            else:
                self._nodes(body, inner.fork() if node.kind is Kind.PIPELINE else inner, stage)
        if node.kind in {Kind.CONDITIONAL, Kind.JOINED, Kind.LOOP}:
            scope.functions = functions  # what may not have been defined is not known
        elif node.kind is Kind.FUNCTION:
            scope.functions.add(node.name)
            scope.defining = scope.defining - {node.name}

    def _test(self, node: Compound, scope: Scope) -> None:
        """`[[ ]]` evaluates what it compares as expressions."""
        literals = [word.literal() for word in node.words]
        if not _COMPARES.intersection(text for text in literals if text):
            return
        for word, text in zip(node.words, literals, strict=True):
            if (text is None and self._unknown(word, scope)) or (
                text is not None and "[" in text and ("$" in text or "`" in text)
            ):
                self.ask("evaluates", word.source, word.source)

    def _unknown(self, word: Word, scope: Scope) -> bool:
        """Whether a word may hold an expression that the line has taken from somewhere else."""
        for part in word.parts:
            if isinstance(part, Substitution):
                return True
            if isinstance(part, Variable) and part.operator != "#" and self._tainted(part.name, scope):
                return True
        return False

    def _tainted(self, name: str, scope: Scope) -> bool:
        return name in scope.sources and any(
            not value.exact or "[" in value.text for value in scope.value(name)
        )

    def _simple(self, node: Simple, scope: Scope, feed: Feed) -> None:
        scope.note(node)
        self._expansions(node.words, scope)
        for assignment in node.assignments:
            self._assignment(assignment, node, scope)
        feed = self._redirects(node.redirects, scope, feed)
        if node.words:
            for chosen in choices(node.words, scope):
                argv = [arg for word in node.words for arg in expand(word, scope, chosen)]
                if argv:
                    self.run(argv, scope, node.source, feed)

    def _assignment(self, assignment: Assignment, node: Simple, scope: Scope) -> None:
        self._expansions(assignment.values, scope)
        if assignment.name == "IFS" and node.words and node.words[0].literal() == "read":
            return
        value = assignment.values[0].literal() if assignment.plain else None
        self.assign(Arg(assignment.name), None if value is None else Arg(value), assignment.source)

    def _expansions(self, words: Sequence[Word], scope: Scope) -> None:
        """Judge what the expansions in words run."""
        for word in words:
            for part in word.parts:
                if isinstance(part, Substitution):
                    self.walk(part.body, scope.fork())
                elif isinstance(part, Arithmetic):
                    self._arithmetic(part, word, scope)
                elif isinstance(part, Variable):
                    if part.unsafe:
                        self.ask("evaluates", word.source, word.source)
                    if part.operator.startswith(("=", ":=")):
                        self.assign(Arg(part.name), None, word.source)
                    self._expansions(part.words, scope)

    def _arithmetic(self, part: Arithmetic, word: Word, scope: Scope) -> None:
        self._expansions(part.words, scope)
        inner = [p for w in part.words for p in w.parts if isinstance(p, Substitution)]
        if any(not counts(substitution) for substitution in inner):
            self.ask("evaluates", word.source, word.source)
        names = [*part.names, *(p.name for w in part.words for p in w.parts if isinstance(p, Variable))]
        for name in names:
            if self._tainted(name, scope):
                self.ask("evaluates", word.source or name, word.source or name)

    def _redirects(self, redirects: Sequence[Redirect], scope: Scope, feed: Feed) -> Feed:
        for redirect in redirects:
            self._expansions([redirect.target], scope)
            if redirect.operator in {"<<", "<<-", "<<<"}:
                feed = Feed(body=redirect.target)
                continue
            for chosen in choices([redirect.target], scope):
                targets = expand(redirect.target, scope, chosen) or [Arg("")]
                for target in targets:
                    feed = self._redirect(redirect, target, scope, feed)
        return feed

    def _redirect(self, redirect: Redirect, target: Arg, scope: Scope, feed: Feed) -> Feed:
        process = any(isinstance(part, Substitution) and part.process for part in redirect.target.parts)
        duplicates = redirect.operator in {"<&", ">&"} and re.fullmatch(r"[0-9]*-?|0\*", target.text)
        if duplicates or process:
            return Feed(piped=True) if process and redirect.operator in READING else feed
        if redirect.operator in READING:
            self.read(target, scope)
            feed = Feed(path=target)
        if redirect.operator != "<":
            self.write(target, scope)
        return feed
