"""The documents, taken apart: links, blocks of code, words between backticks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^(```|~~~~)(\w*)\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """A block of code.

    Attributes:
        page: which document it stands in.
        language: the word behind its fence.
        text: what stands in it.
    """

    page: str
    language: str
    text: str


class Page:
    """A document.

    Args:
        path: from the root.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = (ROOT / path).read_text()
        self.prose = _FENCE.sub("", self.text)

    def __repr__(self) -> str:
        return self.path

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    @property
    def code(self) -> list[str]:
        """What stands between backticks in the prose."""
        return _CODE.findall(self.prose)

    @property
    def anchors(self) -> set[str]:
        """Where a link can point into this page, as forges make it from the headings."""
        headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(self.prose))
        return {heading.replace(" ", "-") for heading in headings}

    def blocks(self, *languages: str) -> list[Block]:
        found = (Block(self.path, language, text) for _, language, text in _FENCE.findall(self.text))
        return [block for block in found if block.language in languages]


PAGES = [
    Page(path)
    for path in ("README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").glob("*.md"))))
]


def command_lines(page: Page) -> Iterator[list[str]]:
    """The words behind `placet`, wherever a page calls the command."""
    shell = [re.sub(r"\\\n\s*", " ", block.text) for block in page.blocks("sh", "text")]
    for text in (*page.code, *shell):
        for line in re.split(r"\n|&&|\||;|\$\(", text):
            found = re.match(r"(?:\S+=\S*\s+|\$ )*(?:\S*/)?(?:python -m )?placet ((?!: ).+)", line.strip())
            if found and not line.strip().startswith("placet:"):
                yield re.sub(r"""'[^']*'|"[^"]*"|\s#.*""", " x ", found[1]).rstrip(")").split()
