"""What stands between the words of a command: blanks, comments, line ends, and the bodies of here-documents behind those."""

from __future__ import annotations

from msgspec import Struct

from placet.actors.guard.scan import BLANK, META, Scanner, Unparsed
from placet.actors.guard.syntax import Part, Redirect, Text, Word


class HereDocument(Struct):
    """A here-document whose body has not been read yet.

    Args:
        redirect: the redirection that gets the body.
        delimiter: the line that ends the body.
        expands: whether expansions in the body take place.
        tabs: whether leading tabs are dropped.
        depth: how deeply nested its operator stands.
    """

    redirect: Redirect
    delimiter: str
    expands: bool
    tabs: bool
    depth: int


class Layout(Scanner):
    """A scanner that knows what may stand between words.

    Args:
        text: the command.
        depth: how deeply this text is nested in another.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self.pending: list[HereDocument] = []

    def at_operator(self) -> bool:
        """Whether the text ends here or an operator follows."""
        if self.at >= len(self.text):
            return True
        return self.text[self.at] in META and not (self.peek("<(") or self.peek(">("))

    def space(self, *, newlines: bool = False) -> None:
        """Read blanks and comments; newlines too if asked, and with the first the bodies of pending here-documents."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in BLANK:
                self.at += 1
            elif self.peek("\\\n"):
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = end if end >= 0 else len(self.text)
            elif char == "\n" and newlines:
                self.at += 1
                pending, self.pending = self.pending, []
                for document in pending:
                    self._body(document)
            else:
                return

    def _body(self, document: HereDocument) -> None:
        if document.depth != self.depth:
            raise Unparsed("a here-document is cut by a substitution")
        lines: list[str] = []
        continued = False
        while True:
            end = self.text.find("\n", self.at)
            line = self.text[self.at : end if end >= 0 else len(self.text)]
            if document.tabs:
                line = line.lstrip("\t")
            if line == document.delimiter and not continued:
                break
            if end < 0:
                raise Unparsed("a here-document is not closed")
            lines.append(line + "\n")
            self.at = end + 1
            continued = document.expands and (len(line) - len(line.rstrip("\\"))) % 2 == 1
        self.at = end if end >= 0 else len(self.text)
        body = "".join(lines)
        parts = self._expanded(body) if document.expands else (Text(body, quoted=True),)
        document.redirect.target = Word(parts, body)

    def _expanded(self, body: str) -> tuple[Part, ...]:
        return type(self)(body, self.depth + 1).rest_as_quoted()
