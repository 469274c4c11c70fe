"""The pieces of a simple command: words, assignments, redirections."""

from __future__ import annotations

import re

from placet.actors.guard.layout import HereDocument, Layout
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.syntax import Assignment, Redirect, Word

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[A-Za-z0-9_@*]*\])?(\+?)=")
REDIRECT = re.compile(r"(?:[0-9]{1,4})?(&>>|&>|<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())")


class Pieces(Layout):
    """Reads what a simple command is made of."""

    def words(self) -> list[Word]:
        """Read words up to an operator."""
        words: list[Word] = []
        while True:
            self.space()
            if self.at_operator():
                return words
            words.append(self.word())

    def assignment(self) -> Assignment | None:
        """Read `name=value` if it comes next."""
        match = _ASSIGNMENT.match(self.text, self.at)
        if match is None:
            return None
        start = self.at
        self.at = match.end()
        values = self._elements() if self.take("(") else (self.word(),)
        plain = not (match.group(2) or match.group(3)) and not self.text.startswith("(", match.end())
        return Assignment(match.group(1), values, plain, self.text[start : self.at])

    def _elements(self) -> tuple[Word, ...]:
        values: list[Word] = []
        while True:
            self.space(newlines=True)
            if self.take(")"):
                return tuple(values)
            word = self.word()
            if not word.source:
                raise Unparsed("an array is not closed")
            values.append(word)

    def redirects(self) -> tuple[Redirect, ...]:
        """Read redirections as long as they come."""
        redirects: list[Redirect] = []
        self.space()
        while REDIRECT.match(self.text, self.at):
            redirects.append(self.redirect())
            self.space()
        return tuple(redirects)

    def redirect(self) -> Redirect:
        """Read one redirection; the body of a here-document is read later."""
        start = self.at
        match = REDIRECT.match(self.text, self.at)
        operator = match.group(1) if match else ""
        self.at = match.end() if match else self.at
        self.space()
        target = self.word()
        if not target.source:
            raise Unparsed("a redirection has no target")
        redirect = Redirect(operator, target, self.text[start : self.at])
        if operator in {"<<", "<<-"}:
            delimiter = target.literal()
            if delimiter is None or "\n" in delimiter:
                raise Unparsed("a here-document's delimiter is not understood")
            expands = target.bare() is not None
            self.pending.append(HereDocument(redirect, delimiter, expands, operator == "<<-", self.depth))
        return redirect
